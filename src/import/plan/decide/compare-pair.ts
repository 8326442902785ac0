import type { JsonObject } from "../../../core/json.ts";
import type { StackRecord } from "../../../core/records/record.ts";
import { fitted } from "../../../matching/plan-options.ts";
import { fillIds } from "../../ids-to-come.ts";
import { compareParts, type PartChange } from "../../../references/compare.ts";
import { partDigest, partsOfDesired, partsOfTarget, type Part } from "../../../references/parts.ts";
import { withDeadIds } from "./dead-ids.ts";
import { baseOfPair } from "../../../matching/from-journal.ts";
import { decisionKey, idToCompare, type DecisionBasis, type RecordToDecide } from "./decision.ts";

/** Compares a record with its counterpart, part by part, in the words of the target. */
export function comparePair(undecided: RecordToDecide, target: StackRecord, basis: DecisionBasis): PartChange[] {
  const { archived, images, options, bodies } = basis;
  // An archive of the target's own stack is of the past; files are of now.
  const ownStack = basis.ownStack && (archived !== undefined || images === true);
  const { kind } = undecided;
  const key = decisionKey(undecided);
  const base = baseOfPair(basis.bases, key, target.id);
  const stored = partsOfTarget(kind, target.body);
  const compare = (desired: readonly Part[]): PartChange[] =>
    compareParts(desired, stored, base, { archived, ownStack });
  const { desired: planned } = bodies.of(kind, key);
  const unfitted = { ...kind.clearOnUpdate, ...fillIds(planned, bodies.idsToCome, idToCompare(basis)) };
  const desired = fitted(kind, unfitted, options);
  const changes = compare(partsOf(undecided, desired, basis, target));
  if (changes.every(({ isEqual }) => isEqual)) return changes;
  // The target may have the record in the form that the archive has before `--fit-limits` converts it.
  if (options.fitLimits === true) {
    const asArchived = compare(partsOf(undecided, unfitted, basis, target));
    if (asArchived.every(({ isEqual }) => isEqual)) return asArchived;
  }
  return changes.some(({ change }) => !["same", "here"].includes(change))
    ? withDeadLinks(changes, undecided, target, desired, basis)
    : changes;
}

function partsOf(
  { kind, record }: RecordToDecide,
  desired: JsonObject,
  basis: DecisionBasis,
  target: StackRecord,
): readonly Part[] {
  const known = baseOfPair(basis.bases, decisionKey({ kind, record }), target.id)?.children;
  return partsOfDesired(kind, desired, { owner: record, ids: basis.ids, known });
}

/** A part whose only difference is an id that the target's complete list lacks counts as changed at the source alone. */
function withDeadLinks(
  changes: readonly PartChange[],
  undecided: RecordToDecide,
  target: StackRecord,
  desired: JsonObject,
  basis: DecisionBasis,
): PartChange[] {
  const linkedToDead = withDeadIds(undecided, desired, target, basis);
  if (linkedToDead === undefined) return [...changes];
  const deadParts = new Map(
    partsOf(undecided, linkedToDead, basis, target).map(({ key, value }) => [key, partDigest(value)]),
  );
  return changes.map((change) => {
    const { key, isEqual, target: part } = change;
    const isOnlyDead = !isEqual && part !== undefined && deadParts.get(key) === partDigest(part.value);
    return isOnlyDead ? { ...change, change: "here" } : change;
  });
}
