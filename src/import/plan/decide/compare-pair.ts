import type { JsonObject } from "../../../core/json.ts";
import type { StackRecord } from "../../../core/records/record.ts";
import { desiredBody } from "../../write-body.ts";
import { compareParts, type PartChange } from "../../../references/compare.ts";
import { partDigest, partsOfDesired, partsOfTarget, type Part } from "../../../references/parts.ts";
import { withDeadIds } from "./dead-ids.ts";
import { baseOfPair } from "../../../matching/from-journal.ts";
import { decisionKey, type DecisionBasis, type RecordToDecide } from "./decision.ts";

/** Compares a record with its counterpart, part by part, in the words of the target. */
export function comparePair(undecided: RecordToDecide, target: StackRecord, given: DecisionBasis): PartChange[] {
  const basis = { ...given, ids: given.idsToCome ?? given.ids };
  const { archived, ownStack, options } = basis;
  const base = baseOfPair(basis.bases, decisionKey(undecided), target.id);
  const stored = partsOfTarget(undecided.kind, target.body);
  const compare = (desired: readonly Part[]): PartChange[] =>
    compareParts(desired, stored, base, { archived, ownStack });
  const { kind, record } = undecided;
  const translation = { ...options, ids: basis.ids, knownIds: basis.archive.knownIds };
  const desired = desiredBody(kind, record, translation);
  const changes = compare(partsOf(undecided, desired, basis, target));
  if (changes.every(({ isEqual }) => isEqual)) return changes;
  // The target may have the record in the form that the archive has before `--fit-limits` converts it.
  if (options.fitLimits === true) {
    const unfitted = desiredBody(kind, record, { ...translation, fitLimits: false });
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
  const former = baseOfPair(basis.bases, decisionKey({ kind, record }), target.id)?.children;
  return partsOfDesired(kind, desired, { owner: record, ids: basis.ids, former });
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
