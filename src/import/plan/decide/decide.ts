import { yieldToEventLoop } from "../../../core/event-loop.ts";
import type { Base } from "../../../core/plan/base.ts";
import { qualifiedChildId, type IdMap } from "../../../core/plan/id-map.ts";
import { willWrite, type KeptPart, type TakenParts } from "../../../core/plan/plan.ts";
import { keyOfRecord, type RecordKey, type StackRecord } from "../../../core/records/record.ts";
import { MAX_NAMED_TO_CHECK, joinNames } from "../../../core/text/format.ts";
import { nounOf } from "../../../kinds/nouns.ts";
import { recordFinder } from "../../../matching/inventory.ts";
import { hostsOf } from "../../../matching/pair-kind.ts";
import { isRequested, prefixName } from "../../../matching/plan-options.ts";
import { childIdOf, childrenOf } from "../../../references/children.ts";
import { baseOfPair, gravestChange, settledByLook, type PartChange } from "../../../references/compare.ts";
import type { TransformNotes } from "../../transforms.ts";
import { comparePair } from "./compare-pair.ts";
import { partialRecord, type DecisionBasis, type Decision, type RecordToDecide } from "./decision.ts";
import { decideByTable } from "./table.ts";

export async function decideAll(
  requested: readonly RecordToDecide[],
  basis: DecisionBasis,
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<RecordKey, Decision>> {
  const decisions = new Map<RecordKey, Decision>();
  for (const undecided of requested) {
    const key = keyOfRecord(undecided.record);
    const decision = decideByTransforms(undecided, basis.transformed) ?? decideRecord(undecided, basis);
    decisions.set(key, decision);
    if (!willWrite(decision) && decision.since === undefined) basis.bodies.release(key);
    else basis.bodies.of(key);
    await yieldToEventLoop(signal);
  }
  return decisions;
}

export function recordsToCreate(
  requested: readonly RecordToDecide[],
  ids: IdMap,
  uncreated: ReadonlySet<RecordKey>,
): ReadonlySet<RecordKey> {
  const toCreate = requested.filter(({ record }) => ids.get(record.kind, record.id) === undefined);
  return new Set(toCreate.map(({ record }) => keyOfRecord(record)).filter((key) => !uncreated.has(key)));
}

function decideRecord(undecided: RecordToDecide, basis: DecisionBasis): Decision {
  const { kind, record } = undecided;
  const { bases, ids, inventory, matching } = basis;
  const isOnRequest = kind.importPolicy.when === "on-request";
  const pairedId = matching.pairs.get(kind.name)?.pairs.get(record.id)?.id;
  const targetId = isOnRequest ? ids.get(kind.name, record.id) : pairedId;
  if (targetId === undefined) return { kind, record, action: "create" };
  const target = recordFinder(inventory)(kind.name, targetId);
  // A map file can name a record by its id even if the target does not list the record.
  if (target === undefined) return { kind, record, targetId, action: "skip", code: "matched" };
  const base = baseOfPair(bases, keyOfRecord(record), target.id);
  const changes = comparePair(undecided, target, base, basis);
  const seen = settledByLook(changes, base);
  const matched = { kind, record, targetId: target.id, ...(seen && { seen }) };
  return isOnRequest
    ? decideMatched(matched, { target, changes, base })
    : decideExisting({ ...matched, ...renamed(undecided, target, basis) }, { target, changes, base }, basis);
}

type PairedMembers = Omit<Decision, "action" | "parts">;

interface Compared {
  readonly target: StackRecord;
  readonly changes: readonly PartChange[];
  readonly base: Base | undefined;
}

function decideExisting(paired: PairedMembers, { target, changes, base }: Compared, basis: DecisionBasis): Decision {
  const { chosen, onConflict } = basis.options;
  if (chosen?.owner === keyOfRecord(paired.record)) {
    const isChosen = ({ source }: PartChange): boolean =>
      source?.child?.children === chosen.children && source.child.position === chosen.position;
    return takeParts(paired, target, changes, isChosen);
  }
  const change = gravestChange(changes);
  const message = change === "same" ? undefined : reasonToLeave(paired, base, basis);
  if (message !== undefined) return { ...paired, action: "skip", code: "exists", message };
  const isTaken = (each: PartChange): boolean =>
    (each.change === "here" || isNewChild(each)) && !removesWatched(each, target, basis);
  // If `removesWatched` left nothing to take, `blockCascadeDeletes` blocks the update of the whole record.
  const isMerged = paired.kind.children.length > 0 && changes.some(isTaken);
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
    ...(isMerged && { isMergeable: true }),
  };
  return onConflict === "merge" ? withKeptNamed(leftAlone) : leftAlone;
}

/** An update of an on-request record only adds links that an earlier run left out. */
function decideMatched(paired: PairedMembers, { target, changes, base }: Compared): Decision {
  const matched = { ...paired, action: "skip", code: "matched" } as const;
  const change = gravestChange(changes);
  if (change === "same") return matched;
  if (base?.lacksLinks === true && change === "here") return { ...paired, action: "update", replaces: target };
  const message = `the target's ${nounOf(target.kind)} "${target.name}" has other content and is left alone; records of this kind are created, never updated, so change it by hand`;
  return { ...matched, code: "exists", message };
}

/** If a vital member such as the query differs, an alert on the counterpart would watch something else. */
export function vitalDifference(
  { kind, record }: RecordToDecide,
  targetId: string,
  basis: DecisionBasis,
): Pick<Decision, "code" | "message"> | undefined {
  const { vitalMembers } = kind;
  const target = vitalMembers && recordFinder(basis.inventory)(kind.name, targetId);
  if (vitalMembers === undefined || target === undefined) return undefined;
  const base = baseOfPair(basis.bases, keyOfRecord(record), target.id);
  const changes = comparePair({ kind, record }, target, base, basis);
  if (!changes.some(({ key, isEqual }) => !isEqual && vitalMembers.includes(key))) return undefined;
  const { code, message } = decideMatched({ kind, record }, { target, changes, base });
  return code === "exists" ? { code, message } : undefined;
}

function withKeptNamed({ kept = [], message = LEFT, ...decision }: Decision): Decision {
  if (kept.length === 0) return decision;
  return { ...decision, kept, message: `${message}: ${joinNames(kept, MAX_NAMED_TO_CHECK, ({ label }) => label)}` };
}

const LEFT = "left as on the target";

const KEPT = "the target has it; a restored tile brings back only the alerts that are missing";

/** Records on the chosen child, and the originals of copies, stay under every policy. */
function reasonToLeave(paired: PairedMembers, base: Base | undefined, basis: DecisionBasis): string | undefined {
  if (basis.options.chosen !== undefined) return KEPT;
  return isOriginal(paired, base, basis) ? ORIGINAL : undefined;
}

const ORIGINAL =
  "without a name it takes no prefix, so the target's record is the original; select what it watches, too";

/** Under a prefix, a nameless alert pairs with the original, unless its host is copied with it. */
function isOriginal({ kind, record }: PairedMembers, base: Base | undefined, basis: DecisionBasis): boolean {
  const { archive, options } = basis;
  const { namePrefix } = options;
  if (namePrefix === undefined || base?.ours === true || kind.nameFields.name === undefined) return false;
  if (prefixName(kind, record.body, namePrefix) !== record.body) return false;
  return !hostsOf(kind, record, archive).some((host) => isRequested(host, options));
}

function renamed(
  { kind, record }: RecordToDecide,
  target: StackRecord,
  { options }: DecisionBasis,
): Pick<Decision, "targetName"> {
  const name = kind.nameOf(prefixName(kind, record.body, options.namePrefix));
  return target.name.trim() === name.trim() ? {} : { targetName: target.name };
}

/** A merge adds a child that only the archive has, because nothing is lost. */
function isNewChild({ change, source, target }: PartChange): boolean {
  return change === "unknown" && source?.child !== undefined && target === undefined;
}

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

/** Undefined if nobody has changed the target, or if it is unknown who changed a part. */
function changesSince(changes: readonly PartChange[]): Decision["since"] {
  const labelsOf = (...of: readonly string[]): string[] =>
    changes.filter(({ change }) => of.includes(change)).map(({ label }) => label);
  if (changes.some(({ change }) => change === "unknown")) return undefined;
  const since = { source: labelsOf("here", "both"), target: labelsOf("there", "both") };
  return since.target.length === 0 ? undefined : since;
}

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

function decideByTransforms(undecided: RecordToDecide, { leftOut, collisions }: TransformNotes): Decision | undefined {
  const key = keyOfRecord(undecided.record);
  if (leftOut.has(key)) {
    const message = "transforms.leaveOut of the target leaves this record out";
    return { ...undecided, action: "skip", code: "left-out", message };
  }
  const message = collisions.get(key);
  return message === undefined ? undefined : { ...undecided, action: "blocked", code: "ambiguous", message };
}
