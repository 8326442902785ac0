import { groupBy } from "../core/collections.ts";
import { pluralize, joinNames } from "../core/text/format.ts";
import {
  keyOfRecord,
  labelOf,
  recordKey,
  type KindName,
  type NamedRecord,
  type StackRecord,
  type Variant,
} from "../core/records/record.ts";
import type { FindRecord } from "../core/resource-kind.ts";
import { displayNameMember, nameOfRecord, nounOf } from "../kinds/nouns.ts";
import type { WriteOnlyMembers } from "../kinds/members/write-only.ts";
import type { CollectedKind } from "./collect-kind.ts";
import { parseRedactedRecord } from "./encode-records.ts";
import { hasEveryRecord, type MissingContent, type ManifestWarning, type DeadReference } from "../core/manifest.ts";
import { deadReferencesOf, type DeadReferenceFinder } from "../references/dead-references.ts";

const MAX_NAMED = 20;

/** Findings about individual records come first (docs/api.md#hidden-tiles). */
export function listMissingContent(
  collected: readonly CollectedKind[],
  needed: readonly WriteOnlyMembers[],
  variant: Variant,
  dead: readonly DeadReference[],
  withDisplayName: AddDisplayName,
): MissingContent[] {
  const read = collected.filter(({ records, unlisted }) => records.length > 0 || unlisted !== undefined);
  const found = read.flatMap((ofKind) => [
    ...unlistedRecords(ofKind),
    ...substituteTiles(ofKind),
    ...writeOnlyMembers(ofKind, needed),
    ...silencedRecords(ofKind, withDisplayName),
  ]);
  const general = read.flatMap(({ kind }) =>
    (kind.notHeld ?? []).map((message): MissingContent => ({ code: "hidden-members", kind: kind.name, message })),
  );
  return [...found, ...unshownTiles(dead, withDisplayName), ...general, ...ofTheStack(variant)];
}

function unlistedRecords({ kind, unlisted }: CollectedKind): MissingContent[] {
  if (unlisted === undefined) return [];
  const message = `${pluralize(unlisted, kind.singular)} that the stack counts but does not list`;
  return [{ code: "unlisted-records", kind: kind.name, count: unlisted, message }];
}

function substituteTiles({ kind, records }: CollectedKind): MissingContent[] {
  const holders = records.filter((record) => record.substitutes.length > 0);
  if (holders.length === 0) return [];
  const count = holders.reduce((sum, record) => sum + record.substitutes.length, 0);
  const dashboardNames = joinNames(holders, MAX_NAMED, ({ entry, substitutes: tiles }) => {
    return `"${labelOf(entry)}": ${joinNames(tiles, MAX_NAMED, (tile) => tile)}`;
  });
  const message = `${pluralize(count, "tile")} that the API shows as another chart, in ${pluralize(holders.length, kind.singular)} (${dashboardNames})`;
  return [{ code: "substitute-tiles", kind: kind.name, count, message }];
}

function unshownTiles(dead: readonly DeadReference[], withDisplayName: AddDisplayName): MissingContent[] {
  const unshown = dead.filter(({ isUnshown }) => isUnshown);
  return [...groupBy(unshown, ({ space }) => space)].map(([space, ofSpace]) => {
    const count = new Set(ofSpace.map(({ to }) => to)).size;
    const watching = joinNames(ofSpace, MAX_NAMED, (holder) => nameOfRecord(withDisplayName(holder)));
    const message = `${pluralize(count, nounOf(space))} that the API does not show, watched by ${watching}`;
    return { code: "unshown-tiles", kind: space.split("/")[0] ?? space, count, message };
  });
}

function writeOnlyMembers({ kind }: CollectedKind, needed: readonly WriteOnlyMembers[]): MissingContent[] {
  const holders = needed.filter((record) => record.kind === kind.name);
  if (holders.length === 0) return [];
  const members = [...new Set(holders.flatMap((holder) => holder.members))].join(", ");
  const message = `${members} of ${pluralize(holders.length, kind.singular)}, if there are any`;
  return [{ code: "write-only-members", kind: kind.name, count: holders.length, message }];
}

function silencedRecords({ kind, records }: CollectedKind, withDisplayName: AddDisplayName): MissingContent[] {
  const silenced = records.filter((record) => record.isSilenced);
  if (silenced.length === 0) return [];
  const alertNames = joinNames(silenced, MAX_NAMED, ({ entry }) => `"${labelOf(withDisplayName(entry))}"`);
  const [silences, each] =
    silenced.length === 1
      ? [`silence of 1 ${kind.singular} (who set it`, `this ${kind.singular}`]
      : [`silences of ${pluralize(silenced.length, kind.singular)} (who set them`, `these ${kind.name}`];
  const message = `the ${silences}, and until when): an import brings ${each} back unsilenced (${alertNames})`;
  return [{ code: "silenced", kind: kind.name, count: silenced.length, message }];
}

function ofTheStack(variant: Variant): MissingContent[] {
  const routes =
    variant === "managed"
      ? "roles, organizations and services"
      : "charts/series, search, team, team/members and team/invitations";
  return [
    { code: "telemetry", message: "telemetry: logs, traces, metrics and sessions" },
    { code: "people", message: "members, invitations, roles and API keys" },
    { code: "alert-history", message: "history, present state and silences of alerts" },
    { code: "routes", message: `answers of API routes that no export reads: ${routes}` },
  ];
}

export interface DeadReferenceFindings {
  readonly references: readonly DeadReference[];
  readonly warnings: readonly ManifestWarning[];
}

const MAX_NAMES_SHOWN = 50;

/** Parses only records whose bytes contain a missing id. */
export function collectDeadReferences(
  collected: readonly CollectedKind[],
  survey: DeadReferenceFinder,
  withDisplayName: AddDisplayName,
): DeadReferenceFindings {
  for (const { kind, failures } of collected) for (const { sourceId } of failures) survey.addId(kind.name, sourceId);
  const whole = new Set<KindName>(
    collected.flatMap((ofKind) => (hasEveryRecord(ofKind) && ofKind.error === undefined ? [ofKind.kind.name] : [])),
  );
  const dead = survey.findDeadKeys((kind) => whole.has(kind));
  if (dead.size === 0) return { references: [], warnings: [] };
  // A key is `SPACE ID`, or `SPACE OWNER/ID` for a child. Only the last id is searched for.
  const ids = [...dead].map((key) => key.replace(/^[^ ]* (?:.*\/)?/s, ""));
  const holders = collected.flatMap(({ records }) => records.filter(({ bytes }) => holdsOne(bytes, ids)));
  const found = holders.flatMap((record) => deadReferencesOf(parseRedactedRecord(record), dead));
  const warnings = found
    .slice(0, MAX_NAMES_SHOWN)
    .map((each) => warningAbout(each, nameOfRecord(withDisplayName(each))));
  if (found.length > warnings.length) {
    const more = found.length - warnings.length;
    const references = more === 1 ? "1 more reference points" : `${more} more references point`;
    const message = `${references} to records that the stack does not have; stackferry verify lists them all`;
    warnings.push({ code: "dead-reference", message });
  }
  return { references: found, warnings };
}

function holdsOne(bytes: Uint8Array, ids: readonly string[]): boolean {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1").toLowerCase();
  return ids.some((id) => text.includes(id));
}

function warningAbout({ pointer, places, space, to, isUnshown }: DeadReference, holder: string): ManifestWarning {
  const noun = nounOf(space);
  const others = places === 1 ? "" : ` and ${places - 1} more ${places === 2 ? "place" : "places"}`;
  return isUnshown
    ? { code: "unshown-tile", message: `${holder} watches a ${noun} that the API does not show: ${to} (${pointer})` }
    : {
        code: "dead-reference",
        message: `${holder} points to the ${noun} ${to}, which the stack does not have (${pointer}${others})`,
      };
}

/** Needs `body` only for a record that the export lacks. The caller redacts `body`. */
export type AddDisplayName = (record: NamedRecord & Partial<StackRecord>) => NamedRecord;

export function displayNameAdder(collected: readonly CollectedKind[]): AddDisplayName {
  let byKey: ReadonlyMap<string, CollectedKind["records"][number]> | undefined;
  const find: FindRecord = (kind, id) => {
    byKey ??= new Map(collected.flatMap(({ records }) => records.map((record) => [keyOfRecord(record.entry), record])));
    const found = byKey.get(recordKey(kind, id));
    return found && parseRedactedRecord(found);
  };
  return (record) => {
    if (record.name.trim() !== "") return record;
    const { kind, id, name, body = find(kind, id)?.body } = record;
    return body === undefined ? record : { kind, id, name, ...displayNameMember({ kind, id, name, body }, find) };
  };
}
