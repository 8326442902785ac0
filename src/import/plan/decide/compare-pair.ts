import type { JsonObject } from "../../../core/json.ts";
import type { Base } from "../../../core/plan/base.ts";
import type { KnownId } from "../../../core/plan/id-map.ts";
import { keyOfRecord, splitKey, type StackRecord } from "../../../core/records/record.ts";
import { fitted } from "../../../matching/plan-options.ts";
import { fillIds } from "../../ids-to-come.ts";
import { referencesOf } from "../../../references/archive-index.ts";
import { foldIds } from "../../../references/known-ids.ts";
import { compareParts, differsInIds, type PartChange } from "../../../references/compare.ts";
import { partsOfDesired, partsOfTarget } from "../../../references/parts.ts";
import type { DecisionBasis, RecordToDecide } from "./decision.ts";

/** @param base the record's base, if it belongs to this counterpart */
export function comparePair(
  { kind, record }: RecordToDecide,
  target: StackRecord,
  base: Base | undefined,
  basis: DecisionBasis,
): PartChange[] {
  const { archived, ids, isMadeAgain, options, bodies } = basis;
  // An archive of the target's own stack, and the images of a rollback (`isMadeAgain`), show the past; files show the present.
  const ownStack = basis.ownStack && (archived !== undefined || isMadeAgain !== undefined);
  const stored = partsOfTarget(kind, target.body);
  const compare = (body: JsonObject): PartChange[] => {
    const desired = partsOfDesired(kind, body, { owner: record, ids, known: base?.children });
    return compareParts(desired, stored, base, { archived, ownStack });
  };
  const { desired: planned } = bodies.of(keyOfRecord(record));
  const unfitted = { ...kind.clearOnUpdate, ...fillIds(planned, bodies.idsToCome, idToCompare(basis)) };
  const changes = compare(fitted(kind, unfitted, options));
  if (changes.every(({ isEqual }) => isEqual)) return changes;
  // The target may have the record in the form before `--fit-limits` converts it.
  if (options.fitLimits === true) {
    const asArchived = compare(unfitted);
    if (asArchived.every(({ isEqual }) => isEqual)) return asArchived;
  }
  return changes.some(({ change }) => !["same", "here"].includes(change))
    ? withDeadIds(changes, record, basis)
    : changes;
}

/** A record to come keeps its stand-in, which differs from any id. Other records without a counterpart keep their last id. */
function idToCompare({ ids, toCreate, bases }: DecisionBasis) {
  return ({ space, id, record }: KnownId, standIn?: string): string | undefined => {
    const counterpart = ids.get(space, id);
    if (counterpart !== undefined || record === undefined) return counterpart;
    if (toCreate.has(record)) return standIn;
    const base = bases.get(record);
    return space.includes("/") ? base?.children?.[space]?.[splitKey(id)[1]] : base?.targetId;
  };
}

/** Counts a part as changed `here` if it differs only in ids that the target lacks. */
function withDeadIds(
  changes: readonly PartChange[],
  record: StackRecord,
  { archive, ids, bodies, target }: DecisionBasis,
): PartChange[] {
  const spaces = new Map(
    referencesOf(archive, record).map(({ space, id }) => [foldIds(ids.get(space, id) ?? ""), space]),
  );
  const isDead = (id: string, storedId: string): boolean => {
    const space = bodies.idsToCome.get(id)?.space ?? spaces.get(id);
    // A child's id does not count as dead, because another record may have a child of the same id.
    return space !== undefined && !space.includes("/") && target.lacks(space, storedId);
  };
  return changes.map((change) => (differsInIds(change, isDead) ? { ...change, change: "here" } : change));
}
