import { qualifiedChildId } from "../../../core/plan/id-map.ts";
import { willWrite, type KeptPart, type TakenParts } from "../../../core/plan/plan.ts";
import { keyOfRecord, recordKey, type RecordKey, type StackRecord } from "../../../core/records/record.ts";
import { MAX_NAMED_TO_CHECK, joinNames } from "../../../core/text/format.ts";
import { yieldToEventLoop } from "../../../core/event-loop.ts";
import { kinds, knownKind } from "../../../kinds/registry.ts";
import { prefixName, isRequested } from "../../../matching/plan-options.ts";
import { referenceTargetsOf } from "../../../references/archive-index.ts";
import { childIdOf, childrenOf } from "../../../references/children.ts";
import { foldIds } from "../../../references/known-ids.ts";
import { gravestChange, settledByLook, type PartChange } from "../../../references/compare.ts";
import type { TransformNotes } from "../../transform/transform-records.ts";
import { baseOfPair } from "../../../matching/from-journal.ts";
import { comparePair } from "./compare-pair.ts";
import { requestedCreations, decideOnRequest, decideWithoutCounterpart } from "./decide-new.ts";
import { decisionKey, partialRecord, type DecisionBasis, type Decision, type RecordToDecide } from "./decision.ts";
import { decideByTable } from "./table.ts";

export async function decideAll(
  requested: readonly RecordToDecide[],
  basis: DecisionBasis,
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<RecordKey, Decision>> {
  const decisions = new Map<RecordKey, Decision>();
  for (const undecided of requested) {
    const key = decisionKey(undecided);
    const decision = decideByTransforms(undecided, basis.transformed) ?? decideRecord(undecided, basis);
    decisions.set(key, decision);
    if (!willWrite(decision) && decision.since === undefined) basis.bodies.release(key);
    else basis.bodies.of(undecided.kind, key);
    await yieldToEventLoop(signal);
  }
  return decisions;
}

/** Lists the records that the run creates if nothing blocks them. */
export function recordsToCreate(
  requested: readonly RecordToDecide[],
  { ids, matching }: Pick<DecisionBasis, "ids" | "matching">,
  uncreated: ReadonlySet<RecordKey>,
): ReadonlySet<RecordKey> {
  const toCreate = requested.filter(
    ({ kind, record }) =>
      ids.get(kind.name, record.id) === undefined && matching.pairs.get(kind.name)?.ambiguous.has(record.id) !== true,
  );
  return new Set(toCreate.map(decisionKey).filter((key) => !uncreated.has(key)));
}

export function requestedRecords({ archive, options }: Pick<DecisionBasis, "archive" | "options">): RecordToDecide[] {
  const written = kinds.filter(({ importPolicy }) => importPolicy.when === "always");
  return [
    ...requestedCreations(archive, options).map((record) => ({ kind: knownKind(record.kind), record })),
    ...written.flatMap((kind) => {
      const records = archive.byKind.get(kind.name) ?? [];
      return records.filter((record) => isRequested(record, options)).map((record) => ({ kind, record }));
    }),
  ];
}

function decideRecord({ kind, record }: RecordToDecide, basis: DecisionBasis): Decision {
  const { matching } = basis;
  if (kind.importPolicy.when === "on-request") return decideOnRequest({ kind, record }, basis);
  const paired = matching.pairs.get(kind.name);
  const target = paired?.pairs.get(record.id);
  if (target) return decideExisting({ kind, record }, target, basis);
  const unknown = basis.unknownCreates.get(recordKey(kind.name, record.id));
  if (unknown !== undefined) return { kind, record, action: "blocked", code: "create-unknown", message: unknown };
  if (isOnRemovedChild(record, basis)) return { kind, record, action: "skip", code: "edited", message: REMOVED };
  return decideWithoutCounterpart(kind, record, paired?.ambiguous.get(record.id));
}

const REMOVED = "is on a tile that was removed on the target, so it is not created; create both by hand";

/** Tells whether a record lives on a child that somebody removed on the target after an import, and that stays removed. */
function isOnRemovedChild(record: StackRecord, { archive, options, bases, matching, ids }: DecisionBasis): boolean {
  // A chosen child is put back, whatever the policy.
  if (options.chosen !== undefined || (options.onConflict !== "keep" && options.onConflict !== "merge")) return false;
  return referenceTargetsOf(archive, record).some(({ space, id, record: ownerKey }) => {
    const owner = ownerKey === undefined ? undefined : archive.byKey.get(ownerKey);
    const counterpart = owner && matching.pairs.get(owner.kind)?.pairs.get(owner.id);
    if (ownerKey === undefined || owner === undefined || counterpart === undefined) return false;
    const children = knownKind(owner.kind).children.find((each) => each.space === space);
    const base = baseOfPair(bases, ownerKey, counterpart.id);
    const formerId = base?.children?.[space]?.[id.slice(qualifiedChildId(owner.id, "").length)];
    if (children === undefined || formerId === undefined || ids.get(space, id) !== undefined) return false;
    return base?.parts[`${children.member}/${foldIds(formerId)}`] !== undefined;
  });
}

/** Decides on a record with a counterpart: compares them part by part, and looks the gravest change up in the table. */
function decideExisting(undecided: RecordToDecide, target: StackRecord, basis: DecisionBasis): Decision {
  const { kind, record } = undecided;
  const { chosen, onConflict } = basis.options;
  const key = decisionKey(undecided);
  const base = baseOfPair(basis.bases, key, target.id);
  const changes = comparePair(undecided, target, basis);
  const seen = settledByLook(changes, base);
  const paired = { kind, record, targetId: target.id, ...renamed(undecided, target, basis), ...(seen && { seen }) };
  if (chosen?.owner === key) {
    const isChosen = ({ source }: PartChange): boolean =>
      source?.child?.children === chosen.children && source.child.position === chosen.position;
    return takeParts(paired, target, changes, isChosen);
  }
  const change = gravestChange(changes);
  // A record that lives on the chosen child stays as it is on the target.
  if (chosen !== undefined && change !== "same") return { ...paired, action: "skip", code: "exists", message: KEPT };
  const isTaken = (each: PartChange): boolean =>
    (each.change === "here" || isNewChild(each)) && !removesWatched(each, target, basis);
  // A record without children is one part, and a merge that finds nothing to take keeps the record.
  const isMerged = kind.children.length > 0 && changes.some(isTaken);
  const policy = onConflict === "merge" && !isMerged ? "keep" : onConflict;
  const { action, ...why } = decideByTable(change, policy, base?.lacksLinks === true);
  if (action === "unchanged") return { ...paired, action };
  const since = changesSince(changes);
  const differing = { ...paired, replaces: target, ...(since && { since }) };
  if (action === "update") return { ...differing, action, ...why };
  if (action === "merge") return withKeptNamed(takeParts(differing, target, changes, isTaken));
  const leftAlone = {
    ...differing,
    action,
    ...why,
    kept: changes.filter((each) => each.change !== "same").map(partOf),
  };
  return onConflict === "merge" ? withKeptNamed(leftAlone) : leftAlone;
}

/** Names the parts that a merge leaves as on the target. */
function withKeptNamed({ kept = [], message = LEFT, ...decision }: Decision): Decision {
  if (kept.length === 0) return decision;
  return { ...decision, kept, message: `${message}: ${joinNames(kept, MAX_NAMED_TO_CHECK, ({ label }) => label)}` };
}

const LEFT = "left as on the target";

const KEPT = "the target has it; a restored tile brings back only the alerts that are missing";

function renamed(
  { kind, record }: RecordToDecide,
  target: StackRecord,
  { options }: DecisionBasis,
): Pick<Decision, "targetName"> {
  const name = kind.nameOf(prefixName(kind, record.body, options.namePrefix));
  return target.name.trim() === name.trim() ? {} : { targetName: target.name };
}

/** Tells whether only the archive has a child: to add it takes nothing away. */
function isNewChild({ change, source, target }: PartChange): boolean {
  return change === "unknown" && source?.child !== undefined && target === undefined;
}

/** Tells whether a merge would remove a child that alerts of the target watch, and that the run does not delete first. */
function removesWatched(
  { source, target: part }: PartChange,
  { id, body }: StackRecord,
  { target, removedFirst }: DecisionBasis,
): boolean {
  if (source !== undefined || part?.child === undefined) return false;
  const { children, position } = part.child;
  const child = childrenOf(body, children)[position] ?? {};
  const watchers = target.dependentsOf(children.space, qualifiedChildId(id, childIdOf(child)));
  return watchers.some((watcher) => !removedFirst.has(keyOfRecord(watcher)));
}

/** Names the parts that each side has changed; undefined if nobody has changed the target, or nothing tells who did. */
function changesSince(changes: readonly PartChange[]): Decision["since"] {
  const labelsOf = (...of: readonly string[]): string[] =>
    changes.filter(({ change }) => of.includes(change)).map(({ label }) => label);
  if (changes.some(({ change }) => change === "unknown")) return undefined;
  const since = { source: labelsOf("here", "both"), target: labelsOf("there", "both") };
  return since.target.length === 0 ? undefined : since;
}

type PairedMembers = Omit<Decision, "action" | "parts">;

/** Decides to write some parts of a record. All other parts stay as on the target. */
function takeParts(
  paired: PairedMembers,
  target: StackRecord,
  changes: readonly PartChange[],
  isTaken: (change: PartChange) => boolean,
): Decision {
  const differing = changes.filter(({ change }) => change !== "same");
  const taken = differing.filter(isTaken);
  if (taken.length === 0) return { ...paired, action: "unchanged" };
  const left = differing.filter((each) => !taken.includes(each));
  const { kind } = paired;
  if (left.length === 0) return { ...paired, action: "update", replaces: target };
  const parts = takenParts(kind.mergedAsOne ?? [], taken);
  return {
    ...paired,
    action: "update",
    code: "kept",
    replaces: target,
    record: partialRecord(kind, paired.record, parts),
    parts,
    kept: left.map(partOf),
  };
}

function partOf({ key, label }: PartChange): KeptPart {
  return { key, label };
}

function takenParts(together: readonly (readonly string[])[], taken: readonly PartChange[]): TakenParts {
  const members = taken.flatMap(({ key, source, target }) => {
    if ((source ?? target)?.child !== undefined) return [];
    return together.find((names) => names.includes(key)) ?? [key];
  });
  const positions = (side: "source" | "target"): Record<string, number[]> => {
    const byMember: Record<string, number[]> = {};
    for (const change of taken) {
      const child = change[side]?.child;
      if (child === undefined || (side === "target" && change.source !== undefined)) continue;
      (byMember[child.children.member] ??= []).push(child.position);
    }
    return byMember;
  };
  return { members, taken: positions("source"), removed: positions("target") };
}

/** Returns the decision that follows from the transforms alone, whatever the target has; undefined if no decision follows. */
function decideByTransforms(undecided: RecordToDecide, { leftOut, collisions }: TransformNotes): Decision | undefined {
  const key = recordKey(undecided.kind.name, undecided.record.id);
  if (leftOut.has(key)) {
    const message = "transforms.leaveOut of the target leaves this record out";
    return { ...undecided, action: "skip", code: "left-out", message };
  }
  const message = collisions.get(key);
  return message === undefined ? undefined : { ...undecided, action: "blocked", code: "ambiguous", message };
}
