import type { DeadReference } from "../core/records/dead-reference.ts";
import type { ManifestWarning } from "../core/manifest.ts";
import { hasEveryRecord } from "../core/manifest.ts";
import type { KindName, StackRecord } from "../core/records/record.ts";
import { nameOfRecord, nounOf } from "../kinds/names.ts";
import type { ReferenceSurvey } from "../references/dead-references.ts";
import { deadReferencesOf } from "../references/dead-references.ts";
import type { Collected } from "./collect-kind.ts";
import type { RedactedRecord } from "./encode-records.ts";

/** The dead references, and the warnings about them. */
export interface DeadReferences {
  readonly found: readonly DeadReference[];
  readonly warnings: readonly ManifestWarning[];
}

/** Dead references listed in the warnings; the HTML report lists all of them. */
const MAX_NAMES_SHOWN = 50;

/**
 * Finds references to records that the stack no longer has, or does not show: a restore could not resolve them either. Searches
 * all records for ids, but decodes only those that contain a dangling one.
 */
export function nameDeadReferences(
  collected: readonly Collected<RedactedRecord>[],
  survey: ReferenceSurvey,
  decode: (record: RedactedRecord) => StackRecord,
): DeadReferences {
  for (const { kind, failures } of collected) for (const { sourceId } of failures) survey.seeId(kind.name, sourceId);
  const whole = new Set<KindName>(
    collected.flatMap((ofKind) => (hasEveryRecord(ofKind) && ofKind.error === undefined ? [ofKind.kind.name] : [])),
  );
  const dead = survey.dead((kind) => whole.has(kind));
  if (dead.size === 0) return { found: [], warnings: [] };
  const ids = [...dead].map(
    (key) =>
      key
        .slice(key.indexOf(" ") + 1)
        .split("/")
        .at(-1) ?? "",
  );
  const holders = collected.flatMap(({ records }) => records.filter(({ bytes }) => holdsOne(bytes, ids)));
  const found = holders.flatMap((record) => deadReferencesOf(decode(record), dead));
  const firstWarnings = found
    .slice(0, MAX_NAMES_SHOWN)
    .map((deadReference) => ({ code: codeOf(deadReference), message: messageOf(deadReference) }));
  const more = `${found.length - firstWarnings.length} more references point to records that the stack does not have`;
  return {
    found,
    warnings:
      found.length > firstWarnings.length
        ? [...firstWarnings, { code: "dead-reference", message: more }]
        : firstWarnings,
  };
}

function holdsOne(bytes: Uint8Array, ids: readonly string[]): boolean {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1").toLowerCase();
  return ids.some((id) => text.includes(id));
}

function codeOf({ isUnshown }: DeadReference): string {
  return isUnshown ? "unshown-tile" : "dead-reference";
}

function messageOf({ kind, id, name, pointer, places, space, to, isUnshown }: DeadReference): string {
  if (isUnshown)
    return `${nameOfRecord({ kind, id, name })} watches a ${nounOf(space)} that the API does not show: ${to} (${pointer})`;
  const others = places === 1 ? "" : ` and ${places - 1} more ${places === 2 ? "place" : "places"}`;
  return `${nameOfRecord({ kind, id, name })} points to the ${nounOf(space)} ${to}, which the stack does not have (${pointer}${others})`;
}
