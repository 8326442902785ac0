import type { PlannedMirror, Removal } from "../../core/plan/plan.ts";
import { foldedKey, isSameId } from "../../references/known-ids.ts";
import type { Warning } from "../../core/outcome.ts";
import {
  keyOfRecord,
  recordKey,
  splitKey,
  targetKey,
  type RecordKey,
  type StackRecord,
  type KindName,
} from "../../core/records/record.ts";
import { findKind, kinds, knownKind } from "../../kinds/registry.ts";
import { recordFinder, type Inventory } from "../../matching/inventory.ts";
import { findReferences, hostKeysOf } from "../../references/references.ts";
import { groupBy, partition } from "../../core/collections.ts";
import { displayNameMember, pluralOf } from "../../kinds/nouns.ts";
import type { Decision, DecisionBasis } from "./decide/decision.ts";
import { hiddenRefusal } from "./update-losses.ts";
import { isRemovedBeforeWrites, dependentsThatStay, usersText } from "../remove/dependents.ts";
import { countAllowedDeletes, exceedsMaxDelete, tooManyDeletesText, type MirrorBasis } from "../remove/mirror.ts";
import type { Base } from "../../core/plan/base.ts";
import { isSelected } from "../../core/records/record-filter.ts";
import type { ResourceKind } from "../../core/resource-kind.ts";
import { isAsSettled } from "../../references/compare.ts";
import { partsOfTarget, referencesInParts } from "../../references/parts.ts";

export function removedKeys(removals: readonly Removal[]): Pick<DecisionBasis, "removed" | "removedFirst"> {
  const deleted = removals.filter(({ action }) => action === "delete");
  return {
    removed: new Set(deleted.map(targetKey)),
    removedFirst: new Set(deleted.filter(isRemovedBeforeWrites).map(targetKey)),
  };
}

/** References of a staying record count as they are after the run's writes. */
export function planRemovals(
  removals: readonly Removal[],
  decisions: readonly Decision[],
  { inventory, bases, missing }: Pick<DecisionBasis, "inventory" | "bases" | "missing">,
  mirror: MirrorBasis,
): { readonly mirror: PlannedMirror; readonly warnings: readonly Warning[] } {
  const checkedRemovals = blockUsed(removals, decisions, inventory);
  const of = shareOf(inventory, [...bases, ...missing], mirror);
  const planned = { removals: checkedRemovals, of, allowed: countAllowedDeletes(mirror.maxDelete, of) };
  const message = `${tooManyDeletesText(planned)}: the import would be refused (--max-delete)`;
  return { mirror: planned, warnings: exceedsMaxDelete(planned) ? [{ code: "not-mirrored", message }] : [] };
}

function blockUsed(removals: readonly Removal[], decisions: readonly Decision[], inventory: Inventory): Removal[] {
  const { removed } = removedKeys(removals);
  if (removed.size === 0) return [...removals];
  const byTarget = new Map(
    decisions.flatMap((decision) =>
      decision.targetId === undefined ? [] : [[recordKey(decision.kind.name, decision.targetId), decision] as const],
    ),
  );
  const dependents = dependentsThatStay(inventory, removed, (record) =>
    linksAfterRun(record, byTarget.get(keyOfRecord(record))),
  );
  return removals.map((removal): Removal => {
    const users = dependents.get(targetKey(removal)) ?? [];
    if (removal.action !== "delete" || users.length === 0) return removal;
    // Only a delete needs `targetRecord`, for the comparison right before the request.
    const { targetRecord: _targetRecord, ...blocked } = removal;
    return { ...blocked, action: "blocked", code: "in-use", message: usersText(users) };
  });
}

/** Links that a write takes from the source do not count: they dangle at the source, too. */
function linksAfterRun({ kind: name, body }: StackRecord, decision: Decision | undefined): RecordKey[] {
  const kind = knownKind(name);
  const { action, kept = [] } = decision ?? {};
  // A kept or blocked record keeps its links. Of an unchanged record, only undeferrable links count.
  const references =
    action === "update"
      ? referencesInParts(
          kind,
          body,
          partsOfTarget(kind, body).filter(({ key }) => kept.some((part) => part.key === key)),
        )
      : findReferences(kind, body).filter(({ deferrable }) => action !== "unchanged" || !deferrable);
  return references.flatMap(({ record }) => record ?? []);
}

/** With the scope `all`, counts all dashboards and alerts of the target, else those that the journal knows. */
function shareOf(inventory: Inventory, known: readonly [RecordKey, Base][], { scope }: MirrorBasis): number {
  const targetRecords = MIRRORED_KINDS.flatMap(({ name }) => inventory.kinds.get(name)?.records ?? []);
  if (scope === "all") return targetRecords.length;
  const keys = new Set(targetRecords.map(({ kind, id }) => foldedKey(kind, id)));
  return known.filter(([key, { targetId }]) => keys.has(foldedKey(splitKey(key)[0], targetId))).length;
}

/** With the scope `all`, a mirror can delete records of these kinds that no import wrote. */
const MIRRORED_KINDS = kinds.filter(({ importPolicy }) => importPolicy.when === "always");

/** `archive` also has the records that are not imported. */
interface RemovalBasis extends Pick<
  DecisionBasis,
  "archive" | "archived" | "inventory" | "options" | "matching" | "transformed" | "bases" | "missing" | "loss"
> {
  readonly mirror: MirrorBasis;
}

interface RemovalCandidate {
  readonly kind: ResourceKind;
  readonly sourceId: string;
  readonly targetId: string;
  readonly name: string;
  readonly base: Base | undefined;
  readonly targetRecord: StackRecord | undefined;
}

/** Sends no request. Does not check whether other records use the found ones. */
export function findRemovals(basis: RemovalBasis): { readonly removals: Removal[]; readonly warnings: Warning[] } {
  const { mirror, matching } = basis;
  if (mirror.isOlder === true) return { removals: [], warnings: [notMirrored(OLDER)] };
  const paired = new Set(
    [...matching.ids].flatMap(({ space, to }) => (space.includes("/") ? [] : [foldedKey(space, to)])),
  );
  const isAskedFor = (candidate: RemovalCandidate): boolean =>
    !paired.has(foldedTarget(candidate)) && isAsked(candidate, basis);
  const ofJournal = knownCandidates(basis);
  const knownTargets = new Set(ofJournal.map(foldedTarget));
  const listed = listedCandidates(basis);
  const taken = mirror.scope === "all" ? listed : [];
  const takenTargets = new Set(taken.map(foldedTarget));
  const others = taken.filter((each) => !knownTargets.has(foldedTarget(each)));
  const [partial, whole] = partition(
    [...ofJournal, ...others].filter(isAskedFor),
    ({ kind, targetRecord }) => targetRecord !== undefined && !mirror.whole.has(kind.name),
  );
  const isUnknown = !mirror.hasJournal && mirror.scope === "ours" && listed.some(isAskedFor);
  return {
    removals: whole.flatMap(
      (candidate) => removalOf(candidate, takenTargets.has(foldedTarget(candidate)), basis) ?? [],
    ),
    warnings: [
      ...(isUnknown ? [notMirrored(NO_JOURNAL)] : []),
      ...[...groupBy(partial, ({ kind }) => kind.name)].map(([name, of]) =>
        notMirrored(partialText(name, of.length, basis.archived === undefined)),
      ),
    ],
  };
}

function knownCandidates({ missing, inventory }: RemovalBasis): RemovalCandidate[] {
  const findTarget = recordFinder(inventory);
  // The source may have had a record under several ids. An entry that is `ours` wins.
  const oursLast = [...missing].toSorted(([, one], [, other]) => Number(one.ours) - Number(other.ours));
  const byTarget = new Map(
    oursLast.map((entry) => [foldedKey(splitKey(entry[0])[0], entry[1].targetId), entry] as const),
  );
  return [...byTarget.values()].flatMap(([key, base]): RemovalCandidate[] => {
    const [name, sourceId] = splitKey(key);
    const kind = findKind(name);
    if (kind === undefined) return [];
    const targetRecord = findTarget(kind.name, base.targetId);
    const { id: targetId, name: targetName } = targetRecord ?? { ...base, id: base.targetId };
    return [{ kind, sourceId, targetId, name: targetName, base, targetRecord }];
  });
}

function listedCandidates({ inventory, bases, options, transformed }: RemovalBasis): RemovalCandidate[] {
  const inSource = new Set([...bases].map(([key, { targetId }]) => foldedKey(splitKey(key)[0], targetId)));
  const { namePrefix = "" } = options;
  return MIRRORED_KINDS.flatMap((kind) =>
    (inventory.kinds.get(kind.name)?.records ?? []).flatMap((record): RemovalCandidate[] => {
      const { id, name } = record;
      const isOther =
        !inSource.has(foldedKey(kind.name, id)) &&
        name.startsWith(namePrefix) &&
        !transformed.leftOutNames.has(`${kind.name} ${name}`);
      return isOther ? [{ kind, sourceId: id, targetId: id, name, base: undefined, targetRecord: record }] : [];
    }),
  );
}

/** The options select a record by any of its known names. */
function isAsked(candidate: RemovalCandidate, basis: RemovalBasis): boolean {
  const { kind, sourceId, base, targetRecord } = candidate;
  const { kinds: requestedKinds, filter } = basis.options;
  if (requestedKinds.length > 0 && !requestedKinds.includes(kind.name)) return false;
  const names = [base?.name, base?.sourceName, targetRecord?.name].filter((name) => name !== undefined);
  const called = names.map((name): StackRecord => ({ kind: kind.name, id: sourceId, name, body: {} }));
  return (
    called.some((record) => isSelected(record, { ...filter, exclude: [] })) &&
    [...called, ...namedHosts(candidate, basis)].every((record) =>
      isSelected(record, { include: [], exclude: filter.exclude }),
    )
  );
}

/** A record without a name is excluded together with any record that it belongs to. */
function namedHosts(
  { kind, targetRecord }: RemovalCandidate,
  { archive, inventory, matching }: RemovalBasis,
): StackRecord[] {
  if (targetRecord === undefined || targetRecord.name.trim() !== "") return [];
  const findTarget = recordFinder(inventory);
  return hostKeysOf(kind, targetRecord.body).flatMap((key) => {
    const [hostKind, id] = splitKey(key);
    const archived = archive.byKey.get(recordKey(hostKind, matching.ids.sourceOf(hostKind, id) ?? ""));
    return [findTarget(hostKind, id), archived].filter((host) => host !== undefined);
  });
}

/**
 * Returns undefined for a record that the target does not list but may still have.
 * @param isTaken deletes the record whoever wrote it (`--mirror all`)
 */
function removalOf(candidate: RemovalCandidate, isTaken: boolean, basis: RemovalBasis): Removal | undefined {
  const { kind, sourceId, targetId, name, base, targetRecord } = candidate;
  const { inventory, matching, mirror } = basis;
  const displayName = targetRecord && displayNameMember(targetRecord, recordFinder(inventory));
  const removal = { kind: kind.name, sourceId, name, ...displayName, targetId };
  if (targetRecord === undefined) {
    return inventory.kinds.get(kind.name)?.status === "complete" ? { ...removal, ...GONE } : undefined;
  }
  const ambiguous = [...(matching.pairs.get(kind.name)?.ambiguous.values() ?? [])].flat();
  if (ambiguous.some(({ id }) => isSameId(id, targetId))) return { ...removal, ...keep(MAY_BE_WANTED) };
  if (kind.routes[inventory.stack.variant].delete === undefined) return { ...removal, ...keep(NOT_OFFERED) };
  if (!isTaken) {
    if (base?.ours !== true) return { ...removal, ...keep(NOT_OURS) };
    const isEdited = !isAsSettled(partsOfTarget(kind, targetRecord.body), base);
    if (isEdited && mirror.takesEdited !== true) return { ...removal, ...keep(EDITED) };
  }
  const hidden = hiddenRefusal(recordKey(kind.name, targetId), basis.loss);
  return hidden ? { ...removal, action: "blocked", ...hidden } : { ...removal, action: "delete", targetRecord };
}

function foldedTarget({ kind, targetId }: RemovalCandidate): string {
  return foldedKey(kind.name, targetId);
}

function keep(message: string): Pick<Removal, "action" | "code" | "message"> {
  return { action: "skip", code: "kept", message };
}

const NOT_OURS =
  "gone from the archive, but it is not of an import: it was on the target before, or an undo made it again; delete it by hand if nobody needs it";
const EDITED =
  "gone from the archive, but somebody changed it on the target since the last run; --on-conflict overwrite deletes it";
const GONE = { action: "unchanged", code: "gone", message: "is gone from the archive and from the target" } as const;
const MAY_BE_WANTED = "an unmatched record of the archive could be the same; name it in a map file";
const NOT_OFFERED = "gone from the archive, but the API does not offer to delete it; delete it by hand";
const OLDER = "a newer archive was imported before, so nothing is deleted; mirror the newest one";
const NO_JOURNAL = "no journal tells which records an import wrote, so nothing is deleted; the next run can";

function partialText(kind: KindName, count: number, fromFiles: boolean): string {
  const [why, next] = fromFiles
    ? [`the files have no ${pluralOf(kind)} at all`, "delete them by hand if that is meant"]
    : [`the archive may lack some ${pluralOf(kind)} of its source`, "use a complete export"];
  return `${why}, so the ${count} that only the target has are not deleted; ${next}`;
}

function notMirrored(why: string): Warning {
  return { code: "not-mirrored", message: `--mirror: ${why}` };
}
