import { qualifiedChildId, IdMap } from "../../../core/plan/id-map.ts";
import type { JsonObject } from "../../../core/json.ts";
import type { TakenParts } from "../../../core/plan/plan.ts";
import type { RecordKey, StackRecord } from "../../../core/records/record.ts";
import type { ResourceKind } from "../../../core/resource-kind.ts";
import { yieldToEventLoop } from "../../../core/event-loop.ts";
import { kinds, knownKind } from "../../../kinds/registry.ts";
import { isRequested, type PlanOptions } from "../../../matching/plan-options.ts";
import { translatedBody } from "../../../matching/pair-kind.ts";
import { borrowSecrets } from "../../../redaction/placeholders.ts";
import { referenceTargetsOf, type ArchiveIndex } from "../../../references/archive-index.ts";
import { mapChildrenByIdentity } from "../../../references/map-children.ts";
import { childrenOf, removeIds } from "../../../references/children.ts";
import { haveSameContent, recordFingerprint, changedParts } from "../../../references/record-content.ts";
import { FINISH_LINKS_REASON, compareLinks, isStoredOtherwise } from "./compare-links.ts";
import { equalsUnfittedArchive, lackedMembers } from "./lacked-members.ts";
import { requestedCreations, decideOnRequest, decideWithoutCounterpart } from "./decide-new.ts";
import { blockWithoutSecrets } from "./missing-secrets.ts";
import { blockUnwritable } from "./block-unwritable.ts";
import {
  decisionKey,
  dependentsOfDecided,
  isCopy,
  makePair,
  translationOfBasis,
  type DecisionBasis,
  type Decision,
  type MergeConflicts,
  type MatchedPair,
  type RecordToDecide,
} from "./decision.ts";
import { decideRelink, relinkUnchanged, withDeadLinks } from "./relink.ts";
import type { TransformNotes } from "../../transform/transform-records.ts";
import type { ChangesSinceImport, RecordState } from "../../../core/plan/state.ts";
import type { JournaledRecord } from "../../../journal/replay.ts";
import { foldIds } from "../../../references/known-ids.ts";
import { formsChangedSince, withFormerLinks } from "./sent-forms.ts";
import { formerKey, mergeRecords, type MergeResult } from "./merge.ts";
import { bodyOfWholeUpdate } from "../../write-body.ts";
import { partialRecord, unfittedBodyOfUpdate } from "../../partial-update.ts";

/** The decision on each record, and the ids that remain valid after all decisions. */
export interface Decisions {
  readonly decisions: ReadonlyMap<RecordKey, Decision>;
  /** The ids of the matching, except those of duplicated records: references to a duplicated record point to its copy. */
  readonly ids: IdMap;
}

/**
 * Decides on every requested record that can be written. With `--on-conflict duplicate` this takes several rounds: a record that
 * references a copy differs from its counterpart, so it is decided again. The rounds end because a copy stays a copy.
 */
export async function decideAll(
  input: Omit<DecisionBasis, "ids">,
  signal: AbortSignal | undefined,
): Promise<Decisions> {
  const { archive, matching } = input;
  const ids = new IdMap(matching.ids);
  const basis = { ...input, ids };
  const decisions = new Map<RecordKey, Decision>();
  const copies = new Set<RecordKey>();
  let undecidedRecords: readonly RecordToDecide[] = requestedRecords(archive, basis.options);
  while (undecidedRecords.length > 0) {
    const round: Decision[] = [];
    for (const undecided of undecidedRecords) {
      const decided =
        decideByTransforms(undecided, basis.transformed) ??
        blockUnwritable(blockWithoutSecrets(decideRecord(undecided, copies, basis), basis), basis);
      round.push(decided);
      await yieldToEventLoop(signal);
    }
    const copied = round.filter((decision) => isCopy(decision, matching));
    for (const decision of round) decisions.set(decisionKey(decision), decision);
    for (const decision of copied) copies.add(decisionKey(decision));
    for (const { kind, record } of copied) removeIds(kind, record, ids);
    const dependents = dependentsOfDecided(copied, archive).filter((key) => !copies.has(key));
    undecidedRecords = dependents.flatMap((key) => decisions.get(key) ?? []);
  }
  for (const decision of relinkUnchanged(decisions, basis)) decisions.set(decisionKey(decision), decision);
  for (const decision of mergeLinksToCreated(decisions, basis)) decisions.set(decisionKey(decision), decision);
  return { decisions, ids };
}

function requestedRecords(archive: ArchiveIndex, options: PlanOptions): RecordToDecide[] {
  const written = kinds.filter(({ importPolicy }) => importPolicy.when === "always");
  return [
    ...requestedCreations(archive, options).map((record) => ({ kind: knownKind(record.kind), record })),
    ...written.flatMap((kind) => {
      const records = archive.byKind.get(kind.name) ?? [];
      return records.filter((record) => isRequested(record, options)).map((record) => ({ kind, record }));
    }),
  ];
}

function decideRecord(
  { kind, record }: RecordToDecide,
  copies: ReadonlySet<RecordKey>,
  basis: DecisionBasis,
): Decision {
  const { archive, matching, options } = basis;
  if (kind.importPolicy.when === "on-request") return decideOnRequest({ kind, record }, basis);
  const needsCopy = referenceTargetsOf(archive, record).some(
    ({ serverValidated, record: to }) => serverValidated && to && copies.has(to),
  );
  if (needsCopy) return { kind, record, action: "create" };
  const paired = matching.pairs.get(kind.name);
  const target = paired?.pairs.get(record.id);
  if (target) return decideExisting(makePair({ kind, record }, target, basis), basis);
  if (isOnRemovedChild(record, basis)) return { kind, record, action: "skip", code: "edited", message: REMOVED };
  return decideWithoutCounterpart(kind, record, paired?.ambiguous.get(record.id), options);
}

const REMOVED = "is on a tile that was removed on the target, so a merge does not create it; create both by hand";

/**
 * Tells whether a record lives on a child that somebody removed on the target after an import. A merge does not create such a
 * record.
 */
function isOnRemovedChild(
  record: StackRecord,
  { archive, options, recordStates, matching, ids }: DecisionBasis,
): boolean {
  if (options.onConflict !== "merge") return false;
  return referenceTargetsOf(archive, record).some(({ space, id, record: owner }) => {
    const ownerRecord = owner === undefined ? undefined : archive.byKey.get(owner);
    if (owner === undefined || ownerRecord === undefined || ids.get(space, id) !== undefined) return false;
    const counterpart = matching.pairs.get(ownerRecord.kind)?.pairs.get(ownerRecord.id);
    const base = recordStates.get(owner);
    if (counterpart === undefined || foldIds(base?.targetId ?? "") !== foldIds(counterpart.id)) return false;
    const childKind = knownKind(ownerRecord.kind).children.find((each) => each.space === space);
    const childId = id.slice(qualifiedChildId(ownerRecord.id, "").length);
    return childKind !== undefined && formerKey(childKind, base, childId) !== undefined;
  });
}

function decideExisting(pair: MatchedPair, basis: DecisionBasis): Decision {
  const { kind, target, body } = pair;
  const { options, journaled, recordStates } = basis;
  const { chosen } = options;
  const key = decisionKey(pair);
  if (chosen?.owner === key) {
    return decideParts(pair, { taken: { [chosen.children.member]: [chosen.position] }, leaves: "conflicts" }, basis);
  }
  const paired = pairedMembers(pair);
  if (haveSameContent(kind, body, target.body)) return { ...paired, action: "unchanged" };
  // A record that lives on the chosen child stays as it is on the target.
  if (chosen !== undefined) return { ...paired, action: "skip", code: "exists", message: KEPT };
  const written = journaled.get(key);
  const asWritten = written?.content === recordFingerprint(kind, target.body) ? written : undefined;
  const byLinks = decideByLinks(pair, asWritten, basis);
  if (byLinks !== undefined) return byLinks;
  if (equalsUnfittedArchive(pair, basis)) return { ...paired, action: "unchanged" };
  if (isMergeable(kind, options)) return decideMerge(pair, basis);
  const byImports = decideByEarlierImports(pair, asWritten, basis);
  if (byImports !== undefined) return byImports;
  const lacked = lackedMembers(pair, basis);
  if (lacked !== undefined) return { ...paired, action: "unchanged", code: "not-kept", lacked };
  return decideConflict(pair, written !== undefined || recordStates.has(key), options);
}

/** Returns the members that every decision on a pair has. */
function pairedMembers({ kind, record, target, body }: MatchedPair) {
  const renamed = target.name === kind.nameOf(body) ? {} : { targetName: target.name };
  return { kind, record, targetId: target.id, ...renamed };
}

/**
 * Decides on a record that differs from its counterpart only in links. Returns undefined if other parts differ, too.
 * @param asWritten the journal's entry of the record, if the target's record is still as the import wrote it
 */
function decideByLinks(
  pair: MatchedPair,
  asWritten: JournaledRecord | undefined,
  basis: DecisionBasis,
): Decision | undefined {
  const { kind, record, target, body } = pair;
  const paired = pairedMembers(pair);
  const { options, lost } = basis;
  // A create is started only if the target has no such record. So the record that is there after a lost create must be the result
  // of that create. This does not hold for duplicates, because a duplicate has the name of an existing record.
  const isLost =
    lost.has(decisionKey(pair)) && options.onConflict !== "duplicate" && hasSameChildren(kind, body, target.body);
  const isUnlinked = asWritten?.linked === false;
  const { lacking, certain, otherwiseEqual } = compareLinks(pair, basis);
  // If a journal shows that the links are missing, contents are not compared: a server may store a body in another form.
  const isUnfinished = (): boolean =>
    isMergeable(kind, options) ? isUnlinked && otherwiseEqual() : isLost || isUnlinked || (certain && otherwiseEqual());
  if (lacking.length > 0 && isUnfinished())
    return { ...paired, action: "update", replaces: target, ...FINISH_LINKS_REASON };
  // An earlier run created the linked record again, but did not set the link to its new id.
  const linkedToDead = withDeadLinks(pair, basis);
  const isOverwritten = asWritten !== undefined && options.onConflict === "update";
  if (linkedToDead && (isOverwritten || haveSameContent(kind, linkedToDead, target.body)))
    return decideRelink(paired, target);
  // The target still has the archived record itself, unchanged. Only the translated body differs, because its texts mention records
  // that this import has copied.
  const isOriginal = basis.ownStack && linkedToDead === undefined && foldIds(target.id) === foldIds(record.id);
  const original = isOriginal && translatedBody(kind, record, { ...basis, ids: new IdMap() });
  return original && haveSameContent(kind, original, target.body) ? { ...paired, action: "unchanged" } : undefined;
}

function isMergeable(kind: ResourceKind, { onConflict }: PlanOptions): boolean {
  return onConflict === "merge" && kind.children.length > 0;
}

/** Decides on a record of which only parts are written, by comparing the body that would be written with the target's. */
function decideParts({ kind, record, target }: MatchedPair, parts: TakenParts, basis: DecisionBasis): Decision {
  const body = unfittedBodyOfUpdate(kind, record, translationOfBasis(basis), target.id, { replaces: target, parts });
  const isSame = haveSameContent(kind, borrowSecrets(body, target.body), target.body);
  const partial = { kind, record: partialRecord(kind, record, parts), targetId: target.id, parts };
  return isSame
    ? { ...partial, action: "unchanged" }
    : { ...partial, action: "update", code: "part", replaces: target };
}

/** Decides on a record in which the changes of both sides are merged. */
function decideMerge(pair: MatchedPair, basis: DecisionBasis): Decision {
  const paired = pairedMembers(pair);
  const lacked = lackedMembers(pair, basis);
  if (lacked !== undefined) return { ...paired, action: "unchanged", code: "not-kept", lacked };
  const byState = decideByState(pair, basis);
  if (byState?.action === "unchanged") return byState;
  const base = byState === undefined ? undefined : basis.recordStates.get(decisionKey(pair));
  const merge = mergePair(pair, base, basis);
  // Only the archive has changed since the last import, so the update also takes the archive's order of children.
  if (byState?.action === "update" && (merge.conflicts.length === 0 || !hasPartDigests(base))) return byState;
  const conflicts = { labels: merge.conflicts, hasBase: base !== undefined };
  const decision = decideParts(pair, merge.parts, basis);
  if (decision.action === "update") return { ...decision, code: "merged-parts", message: MERGED, conflicts };

  const skipped = { ...paired, action: "skip", replaces: pair.target, since: byState?.since } as const;
  if (merge.conflicts.length > 0) return { ...skipped, ...differing(conflicts) };
  if (merge.parts.leaves === "edits") return { ...skipped, code: "edited", message: EDITED };
  return { ...skipped, ...differing({ ...conflicts, labels: ["the order of tiles or filters"] }) };
}

/**
 * Merges again each record that links to a record which this run creates, as if the created record had its id already. Otherwise
 * only the next merge would set a dead link.
 */
function mergeLinksToCreated(decisions: ReadonlyMap<RecordKey, Decision>, basis: DecisionBasis): readonly Decision[] {
  const { archive, matching, options, uncreated } = basis;
  if (options.onConflict !== "merge") return [];
  const created = [...decisions.values()].filter(
    (decision) => decision.action === "create" && !isCopy(decision, matching) && !uncreated.has(decisionKey(decision)),
  );
  const ids = new IdMap(basis.ids);
  created.forEach(({ kind, record }, index) => ids.set(kind.name, record.id, index.toString(16).padStart(24, "0")));
  return dependentsOfDecided(created, archive).flatMap((key): Decision[] => {
    const [decision, record] = [decisions.get(key), archive.byKey.get(key)];
    if (decision === undefined || record === undefined || !isMergeable(decision.kind, options)) return [];
    if (decision.action !== "skip" && decision.code !== "merged-parts") return [];
    const target = matching.pairs.get(decision.kind.name)?.pairs.get(record.id);
    if (target === undefined || options.chosen !== undefined) return [];
    const pending = { ...basis, ids };
    const merged = decideMerge(makePair({ kind: decision.kind, record }, target, pending), pending);
    return [blockUnwritable(blockWithoutSecrets(merged, basis), basis)];
  });
}

/** Tells whether a state has digests of parts. A run that was killed leaves none, because its journal does not tell what it sent. */
function hasPartDigests(recordState: RecordState | undefined): boolean {
  return Object.keys(recordState?.stored?.members ?? {}).length > 0;
}

function mergePair(pair: MatchedPair, base: RecordState | undefined, basis: DecisionBasis): MergeResult {
  const { kind, record, target } = pair;
  const bodyOf = (each: StackRecord): JsonObject => bodyOfWholeUpdate(kind, each, translationOfBasis(basis), target.id);
  const current = bodyOf(record);
  const former = withFormerLinks(pair, basis);
  const sent = former === undefined ? current : bodyOf(former);
  const compared = borrowSecrets(current, target.body);
  const deadLinked = withDeadLinks({ ...pair, body: compared }, basis) ?? compared;
  const { ids, target: index, removedFirst } = basis;
  return mergeRecords({ kind, record, sent, compared, deadLinked, target, base, ids, index, removedFirst });
}

/** Tells why a merge leaves parts as on the target. */
function differing(conflicts: MergeConflicts): Pick<Decision, "code" | "message" | "conflicts"> {
  return conflicts.hasBase
    ? { code: "both-changed", message: BOTH, conflicts }
    : { code: "exists", message: UNKNOWN, conflicts };
}

const MERGED =
  "parts that only the source changed, or whose links are dead, are updated; the rest stays as on the target";
const UNKNOWN =
  "parts differ, and no state tells which side changed them; they stay as on the target unless --on-conflict update overwrites them";

const KEPT = "the target has it; a restored tile brings back only the alerts that are missing";

/** Tells whether each tile has a counterpart on the other side. Tiles of an unrelated record with the same name have none. */
function hasSameChildren(kind: ResourceKind, body: JsonObject, target: JsonObject): boolean {
  const alike = mapChildrenByIdentity(kind, "", body, target).length;
  const countChildren = (side: JsonObject): number =>
    kind.children.flatMap((children) => childrenOf(side, children)).length;
  return alike > 0 && countChildren(body) === alike && countChildren(target) === alike;
}

/** Returns the decision that follows from the transforms alone, whatever the target has; undefined if no decision follows. */
function decideByTransforms(undecided: RecordToDecide, { leftOut, collisions }: TransformNotes): Decision | undefined {
  const key = decisionKey(undecided);
  if (leftOut.has(key)) {
    return {
      ...undecided,
      action: "skip",
      code: "left-out",
      message: "transforms.leaveOut of the target leaves this record out",
    };
  }
  const message = collisions.get(key);
  return message === undefined ? undefined : { ...undecided, action: "blocked", code: "renamed-alike", message };
}

/**
 * Decides by what earlier imports wrote. The journal tells only what the target stored; the state also tells what was sent, so only
 * the state shows whether this import would send something else.
 */
function decideByEarlierImports(
  pair: MatchedPair,
  asWritten: JournaledRecord | undefined,
  basis: DecisionBasis,
): Decision | undefined {
  const byState = decideByState(pair, basis);
  const isKnown = hasPartDigests(basis.recordStates.get(decisionKey(pair)));
  const sendsOther = isKnown && byState?.action === "update" && byState.since === undefined;
  if (sendsOther || !isStoredOtherwise(asWritten, pair, basis)) return byState;
  return { ...pairedMembers(pair), action: "unchanged", code: "journaled" };
}

/**
 * Decides by the state which side has changed since the last import; undefined if the state contains too little about the record.
 */
function decideByState(pair: MatchedPair, basis: DecisionBasis): Decision | undefined {
  const { kind, target } = pair;
  const { options, recordStates } = basis;
  const recordState = recordStates.get(decisionKey(pair));
  if (recordState?.sent === undefined || recordState.stored === undefined) return undefined;
  if (foldIds(recordState.targetId) !== foldIds(target.id)) return undefined;
  const { sent } = recordState;
  const changedForms = formsChangedSince(sent, pair, basis);
  const isChangedHere = changedForms.length > 0;
  const isChangedThere = recordFingerprint(kind, target.body) !== recordState.stored.whole;
  const paired = pairedMembers(pair);
  // The stack stores the record in another form than the import sent; the run that wrote the record has reported this.
  if (!isChangedHere && !isChangedThere) return { ...paired, action: "unchanged", code: "unchanged-since-import" };
  // Nobody has changed the target, so there is no conflict.
  if (!isChangedThere) return { ...paired, action: "update", replaces: target };
  const since: ChangesSinceImport = {
    source: changedInAll(changedForms.map((body) => changedParts(kind, body, sent))),
    target: changedParts(kind, target.body, recordState.stored),
  };
  const conflict = decideConflict(pair, true, options);
  if (isChangedHere) {
    const { action } = conflict;
    const code = action === "blocked" ? "conflict" : "both-changed";
    return { ...paired, action, code, message: BOTH, replaces: target, since };
  }
  const decision = options.restores === true ? conflict : decideEdited(pair, options);
  return { ...decision, replaces: target, since };
}

/** Returns the labels that all lists have. */
function changedInAll([first = [], ...others]: readonly (readonly string[])[]): string[] {
  return first.filter((label) => others.every((labels) => labels.includes(label)));
}

function decideEdited(pair: MatchedPair, { onEdited }: PlanOptions): Decision {
  const paired = pairedMembers(pair);
  if (onEdited === undefined) return { ...paired, action: "skip", code: "edited", message: EDITED };
  const message = `${EDITED}; --on-edited overwrite writes what the source has`;
  if (onEdited === "overwrite") return { ...paired, action: "update", code: "edited", message };
  if (onEdited === "fail") return { ...paired, action: "blocked", code: "conflict", message };
  return { ...paired, action: "skip", code: "edited", message };
}

const EDITED = "changed on the target since the last import; the source has not changed";
const BOTH = "changed on both sides since the last import; --on-conflict chooses the side that counts";

/** Applies `--on-conflict` to a differing counterpart. @param ours whether an earlier import wrote the counterpart */
function decideConflict(pair: MatchedPair, ours: boolean, { onConflict }: PlanOptions): Decision {
  const { kind, record } = pair;
  const paired = pairedMembers(pair);
  if (onConflict === "update") return { ...paired, action: "update", replaces: pair.target };
  // If an earlier import wrote the counterpart, it is already the copy, even if somebody has edited it since. So no second copy is
  // made.
  if (onConflict === "duplicate" && !ours) return { kind, record, action: "create" };
  const message = "other content on the target; --on-conflict update overwrites it";
  if (onConflict === "fail") return { ...paired, action: "blocked", code: "conflict", message };
  return { ...paired, action: "skip", code: "exists", message };
}
