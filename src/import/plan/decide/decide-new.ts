import { recordKey, type KindName, type RecordKey, type StackRecord } from "../../../core/records/record.ts";
import type { ResourceKind } from "../../../core/resource-kind.ts";
import { kinds, kindsOnRequest } from "../../../kinds/registry.ts";
import { nounOf, pluralOf } from "../../../kinds/nouns.ts";
import { isRequested, type PlanOptions } from "../../../matching/plan-options.ts";
import { referenceTargetsOf, type ArchiveIndex, nameOfReferenceTarget } from "../../../references/archive-index.ts";
import { MAX_NAMED, joinNames } from "../../../core/text/format.ts";
import { recordFinder, targetAnswersOf, type Inventory } from "../../../matching/inventory.ts";
import { gravestChange, settledByLook, type PartChange } from "../../../references/compare.ts";
import { comparePair } from "./compare-pair.ts";
import { writeOnlyReason } from "./missing-secrets.ts";
import { baseOfPair } from "../../../matching/from-journal.ts";
import type { Decision, RecordToDecide, DecisionBasis } from "./decision.ts";

/**
 * Lists the records of the kinds that `--create` names. If the options select records, lists only the records of the kinds in
 * `--kinds`, and the records that selected records need, directly or indirectly.
 */
export function requestedCreations(archive: ArchiveIndex, options: PlanOptions): StackRecord[] {
  const created = kindsOnRequest.flatMap(({ name }) =>
    options.create.includes(name) ? (archive.byKind.get(name) ?? []) : [],
  );
  if (created.length === 0 || !isPartialImport(options)) return created;
  const needed = neededBy(archive, options);
  return created.filter(
    (record) => options.kinds.includes(record.kind) || needed.has(recordKey(record.kind, record.id)),
  );
}

/** Tells whether the run takes only a part of the archive. */
export function isPartialImport({ kinds: requestedKinds, filter }: PlanOptions): boolean {
  return [requestedKinds, filter.include, filter.exclude].some((values) => values.length > 0);
}

function neededBy(archive: ArchiveIndex, options: PlanOptions): Set<RecordKey> {
  const written = kinds.filter(({ importPolicy }) => importPolicy.when === "always");
  const unvisited = written.flatMap(({ name }) =>
    (archive.byKind.get(name) ?? []).filter((candidate) => isRequested(candidate, options)),
  );
  const needed = new Set<RecordKey>();
  for (let record = unvisited.pop(); record !== undefined; record = unvisited.pop()) {
    for (const { record: key } of referenceTargetsOf(archive, record)) {
      const target = key === undefined || needed.has(key) ? undefined : archive.byKey.get(key);
      if (key === undefined || target === undefined) continue;
      needed.add(key);
      unvisited.push(target);
    }
  }
  return needed;
}

/**
 * Tells whether the target offers to create records of this kind. Only a deployment that has the list of the kind `servedWith` does,
 * even if this key may not read that list.
 */
export function isCreateOffered({ routes, importPolicy }: ResourceKind, { stack, kinds: lists }: Inventory): boolean {
  if (importPolicy.when !== "on-request" || routes[stack.variant].create === undefined) return false;
  return (lists.get(importPolicy.servedWith)?.status ?? "not-offered") !== "not-offered";
}

/** Lists the kinds whose records the target offers to create and that `--create` does not name. */
export function creatableKinds(inventory: Inventory, { create }: PlanOptions): ReadonlySet<KindName> {
  const isUnread = (kind: KindName): boolean => inventory.kinds.get(kind)?.status === "forbidden";
  const offered = kindsOnRequest.filter(
    (kind) => !create.includes(kind.name) && !isUnread(kind.name) && isCreateOffered(kind, inventory),
  );
  return new Set(offered.map(({ name }) => name));
}

export function decideWithoutCounterpart(
  kind: ResourceKind,
  record: StackRecord,
  ambiguous: readonly StackRecord[] | undefined,
): Decision {
  if (!ambiguous) return { kind, record, action: "create" };
  return { kind, record, action: "blocked", code: "ambiguous", message: ambiguousTargetMessage(kind, ambiguous) };
}

/**
 * Makes the message for an archived record whose counterpart nothing proves: several records of the target could be it, one could be
 * several of the archive, or another one has its id by chance.
 */
export function ambiguousTargetMessage(kind: ResourceKind, candidates: readonly StackRecord[]): string {
  const candidateNames = joinNames(candidates, MAX_NAMED, ({ id, name }) => `"${name}" ${id}`);
  return `nothing proves which of the ${kind.name} of the target is this one (${candidateNames}); name the right one in a map file, or leave this one out (--exclude ID)`;
}

/** Decides on a record of a kind whose records are created if the target has no counterpart, and are never updated. */
export function decideOnRequest({ kind, record }: RecordToDecide, basis: DecisionBasis): Decision {
  const { archive, inventory, matching, suppliedSecrets, ids } = basis;
  const targetId = ids.get(kind.name, record.id);
  if (targetId !== undefined) {
    const target = recordFinder(inventory)(kind.name, targetId);
    if (target !== undefined)
      return decideMatched({ kind, record }, target, comparePair({ kind, record }, target, basis), basis);
    return { kind, record, targetId, action: "skip", code: "matched" };
  }
  const ambiguous = matching.pairs.get(kind.name)?.ambiguous.get(record.id);
  if (ambiguous) return decideWithoutCounterpart(kind, record, ambiguous);
  const { refusal: unread } = inventory.kinds.get(kind.name) ?? {};
  if (unread !== undefined) {
    const message = `the target may have it, but its ${pluralOf(kind.name)} cannot be read: ${unread}; or name the right one in a map file, by its id`;
    return { kind, record, action: "blocked", code: "forbidden", message };
  }
  if (!isCreateOffered(kind, inventory)) {
    const message = `the target does not offer to create a ${nounOf(kind.name)}; create it by hand, or name one of the target's in a map file`;
    return { kind, record, action: "blocked", code: "not-offered", message };
  }
  // This check comes before the check for secrets, because a refused record needs no secrets.
  const nameOfReference = (space: string, id: string): string => nameOfReferenceTarget({ space, id }, archive);
  const refusal = kind.rejectReason?.(record.body, targetAnswersOf(inventory, kind.name), nameOfReference);
  if (refusal !== undefined) return { kind, record, action: "blocked", ...refusal };
  const needed = writeOnlyReason(kind, record, suppliedSecrets);
  return needed === undefined ? { kind, record, action: "create" } : { kind, record, action: "blocked", ...needed };
}

/** Decides on a record with a counterpart: an update adds only links that an earlier run left out. */
function decideMatched(
  { kind, record }: RecordToDecide,
  target: StackRecord,
  changes: readonly PartChange[],
  { bases }: DecisionBasis,
): Decision {
  const base = baseOfPair(bases, recordKey(kind.name, record.id), target.id);
  const seen = settledByLook(changes, base);
  const matched = {
    kind,
    record,
    targetId: target.id,
    action: "skip",
    code: "matched",
    ...(seen && { seen }),
  } as const;
  const change = gravestChange(changes);
  if (change === "same") return matched;
  if (base?.lacksLinks === true && change === "here")
    return { ...matched, action: "update", code: undefined, replaces: target };
  const message = `the target's ${nounOf(kind.name)} "${target.name}" has other content and is left alone; records of this kind are created, never updated, so change it by hand`;
  return { ...matched, code: "exists", message };
}

/**
 * Returns the reason if the counterpart of a record that is only matched differs in a vital member, such as the query of a saved
 * search. An alert on the counterpart would then watch something else than at the source.
 */
export function vitalDifference(
  { kind, record }: RecordToDecide,
  targetId: string,
  basis: DecisionBasis,
): Pick<Decision, "code" | "message"> | undefined {
  const { vitalMembers } = kind;
  const target = vitalMembers && recordFinder(basis.inventory)(kind.name, targetId);
  if (vitalMembers === undefined || target === undefined) return undefined;
  const changes = comparePair({ kind, record }, target, basis);
  if (!changes.some(({ key, isEqual }) => !isEqual && vitalMembers.includes(key))) return undefined;
  const { code, message } = decideMatched({ kind, record }, target, changes, basis);
  return code === "exists" ? { code, message } : undefined;
}
