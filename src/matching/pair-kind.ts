import type { IdMapping } from "../core/plan/id-map.ts";
import { IdMap, childId } from "../core/plan/id-map.ts";
import type { JsonObject } from "../core/json.ts";
import type { RecordState } from "../core/plan/state.ts";
import type { RecordKey, StackRecord, KindName } from "../core/records/record.ts";
import { recordKey } from "../core/records/record.ts";
import type { ResourceKind } from "../core/resource-kind.ts";
import { yieldToEventLoop } from "../core/event-loop.ts";
import { fitBody } from "../kinds/limits.ts";
import type { ArchiveIndex } from "../references/archive-index.ts";
import { referencesOf, referenceTargetsOf } from "../references/archive-index.ts";
import { mapChildrenByIdentity } from "../references/map-children.ts";
import { childIdOf, childrenOf } from "../references/children.ts";
import { rewriteReferences } from "../references/references.ts";
import type { PlanOptions } from "./plan-options.ts";
import { isRequested, applyNaming } from "./plan-options.ts";
import type { Inventory } from "./inventory.ts";
import type { Candidate, KnownIdentity, RecordPairs } from "./match-records.ts";
import { matchRecords } from "./match-records.ts";
import { mapChosenChild } from "./chosen-child.ts";
import type { ManualMapping, Match } from "../core/plan/plan.ts";
import { foldIds } from "../references/known-ids.ts";

/** A chain of references between records of one kind needs one round per record; the next run pairs the rest of a longer one. */
const MAX_ROUNDS = 4;

/** The pairs of one kind, and the id mappings that follow from them, including those of children. */
export interface KindPairs extends RecordPairs {
  readonly mappings: readonly IdMapping[];
}

/** The input for pairing the records of one kind. */
export interface PairBasis {
  readonly archive: ArchiveIndex;
  readonly inventory: Inventory;
  readonly options: PlanOptions;
  /** The ids known before this kind is paired. Mappings of this kind count as given pairs. */
  readonly ids: IdMap;
  readonly recordStates: ReadonlyMap<RecordKey, RecordState>;
  /** Whether the target is the stack that the archive was made from. */
  readonly ownStack: boolean;
  readonly signal: AbortSignal | undefined;
}

/**
 * Pairs the records of one kind with the target's. Records may reference others of their kind, so each round translates them with
 * the pairs of the previous round, until the pairs no longer change.
 */
export async function pairKind(kind: ResourceKind, basis: PairBasis): Promise<KindPairs> {
  const { archive, inventory, ids, ownStack } = basis;
  const target = inventory.kinds.get(kind.name)?.records ?? [];
  if (target.length === 0) return { pairs: new Map(), ambiguous: new Map(), mappings: [] };
  const fixed = new Map([...ids].flatMap(({ space, from, to }) => (space === kind.name ? [[from, to] as const] : [])));
  const pairWith = (knownIds: IdMap): Promise<KindPairs> =>
    pairOnce(kind, target, { ...basis, ids: knownIds }, { fixed, ownStack });
  let paired = await pairWith(ids);
  if (paired.pairs.size === 0 || !pointsToItsOwn(kind, archive)) return paired;
  for (let round = 2; round <= MAX_ROUNDS; round += 1) {
    const before = paired;
    paired = await pairWith(new IdMap([...ids, ...before.mappings]));
    if (samePairs(before, paired)) break;
  }
  return paired;
}

function samePairs(left: RecordPairs, right: RecordPairs): boolean {
  return (
    left.pairs.size === right.pairs.size && [...left.pairs].every(([from, to]) => right.pairs.get(from)?.id === to.id)
  );
}

/** Returns the body that the import would write for a record, in which every reference with a known counterpart is translated. */
export function translatedBody(
  kind: ResourceKind,
  record: StackRecord,
  archive: ArchiveIndex,
  options: PlanOptions,
  ids: IdMap,
): JsonObject {
  const body = rewriteReferences(record.body, referencesOf(archive, record), ids, archive.knownIds);
  // A record outside the selection is matched only because a selected record references it, so it keeps its own name on the
  // target.
  const labelled = isRequested(record, options) ? applyNaming(kind, body, options.naming) : body;
  return options.fitLimits === true ? fitBody(kind, labelled, options.now) : labelled;
}

/** Makes a candidate for matching. Its body is translated on each access. */
export function candidateOf(
  kind: ResourceKind,
  record: StackRecord,
  archive: ArchiveIndex,
  options: PlanOptions,
  ids: IdMap,
): Candidate {
  return {
    record,
    get body() {
      return translatedBody(kind, record, archive, options, ids);
    },
  };
}

async function pairOnce(
  kind: ResourceKind,
  target: readonly StackRecord[],
  { archive, options, ids, recordStates, ownStack, signal }: PairBasis,
  identity: Omit<KnownIdentity, "sameId">,
): Promise<KindPairs> {
  // A record that gets a name prefix must become a new record, even if the target has a record with the same id.
  const isRenamed = (record: StackRecord): boolean =>
    options.naming.namePrefix !== undefined && isRequested(record, options);
  // A record without a name (an alert) gets no prefix, so nothing tells it from its copy. It is new if the record that it lives on
  // becomes a new one.
  const livesOnNew = (record: StackRecord): boolean =>
    record.name === "" &&
    !identity.fixed.has(record.id) &&
    hostsOf(kind, record, archive).some((host) => isRenamed(host) && ids.get(host.kind, host.id) === undefined);
  const candidates = (archive.byKind.get(kind.name) ?? [])
    .filter((record) => !livesOnNew(record))
    .map((record) => candidateOf(kind, record, archive, options, ids));
  const sameId = (record: StackRecord): string | undefined => (isRenamed(record) ? undefined : record.id);
  const paired = await matchRecords(kind, candidates, target, { ...identity, sameId }, signal);
  const mappings: IdMapping[] = [];
  for (const candidate of candidates) {
    await yieldToEventLoop(signal);
    const { id } = candidate.record;
    const counterpart = paired.pairs.get(id);
    if (!counterpart) continue;
    const mapping = { space: kind.name, from: id, to: counterpart.id };
    const fromState = childrenFromState(kind.name, candidate.record, counterpart, recordStates);
    const { chosen } = options;
    const isMerge = options.onConflict === "merge";
    const known =
      ownStack && (isMerge || chosen !== undefined) ? withSameIds(kind, candidate.record, fromState) : fromState;
    const alike = mapChildrenByIdentity(kind, id, candidate.body, counterpart.body, known);
    const children = isMerge
      ? withoutGuesses(alike, kind, { id, body: candidate.body }, counterpart.body, fromState)
      : alike;
    const bodies = { source: candidate.body, target: counterpart.body, known };
    const isOwner = chosen?.owner === recordKey(kind.name, id);
    mappings.push(mapping, ...(isOwner ? mapChosenChild(children, chosen, id, bodies) : children));
  }
  return { ...paired, mappings };
}

/** Lists the archived records that a record lives on, such as an alert's dashboard. */
export function hostsOf({ livesOn = [] }: ResourceKind, record: StackRecord, archive: ArchiveIndex): StackRecord[] {
  if (livesOn.length === 0) return [];
  const keys = new Set(referenceTargetsOf(archive, record).flatMap((target) => target.record ?? []));
  return [...keys]
    .flatMap((key) => archive.byKey.get(key) ?? [])
    .filter((referenced) => livesOn.includes(referenced.kind));
}

function pointsToItsOwn(kind: ResourceKind, archive: ArchiveIndex): boolean {
  const ownPrefix = `${kind.name}/`;
  return (archive.byKind.get(kind.name) ?? []).some((record) =>
    referenceTargetsOf(archive, record).some((referenceTarget) => referenceTarget.record?.startsWith(ownPrefix)),
  );
}

/** Lists the mappings of a kind from a journal or a state, without records that were since deleted on the target. */
export function idsFromEarlierRuns(
  kind: ResourceKind,
  archive: ArchiveIndex,
  inventory: Inventory,
  earlierRecords: ReadonlyMap<RecordKey, { readonly targetId: string }>,
): IdMapping[] {
  const targetIds = new Map(inventory.kinds.get(kind.name)?.records.map(({ id }) => [foldIds(id), id]));
  return (archive.byKind.get(kind.name) ?? []).flatMap(({ id }) => {
    const to = targetIds.get(foldIds(earlierRecords.get(recordKey(kind.name, id))?.targetId ?? ""));
    return to === undefined ? [] : [{ space: kind.name, from: id, to }];
  });
}

/** Removes the mappings whose source or target already has another mapping: two source records never share a target record. */
export function withoutDecided(mappings: readonly IdMapping[], decided: readonly IdMapping[]): IdMapping[] {
  const from = new Set(decided.map((mapping) => `${mapping.space} ${mapping.from}`));
  const to = new Set(decided.map((mapping) => `${mapping.space} ${foldIds(mapping.to)}`));
  return mappings.filter(
    (mapping) => !from.has(`${mapping.space} ${mapping.from}`) && !to.has(`${mapping.space} ${foldIds(mapping.to)}`),
  );
}

/** Turns mappings from the state into matches, for the plan to show. */
export function matchesFromState(mappings: readonly IdMapping[], archive: ArchiveIndex, inventory: Inventory): Match[] {
  return mappings.map(({ space, from, to }) => {
    const targetRecord = inventory.kinds.get(space)?.records.find(({ id }) => id === to);
    const name = archive.byKey.get(recordKey(space, from))?.name ?? from;
    return { space, from, to, name, targetName: targetRecord?.name ?? to, rule: "state" };
  });
}

/** Removes a pair that follows from file names if the map file, the journal or the state already matches one of its two records. */
export function withoutMatchedPairs(paired: ManualMapping, stateMappings: readonly IdMapping[]): ManualMapping {
  return Object.fromEntries(
    Object.entries(paired).map(([space, lines]) => {
      const mappings = Object.entries(lines).flatMap(([from, to]) =>
        typeof to === "string" ? [{ space, from, to }] : [],
      );
      return [space, Object.fromEntries(withoutDecided(mappings, stateMappings).map(({ from, to }) => [from, to]))];
    }),
  );
}

/** Returns the pairs of a record's children from the state, if the record still has the same counterpart. */
function childrenFromState(
  kind: KindName,
  source: StackRecord,
  target: StackRecord,
  recordStates: ReadonlyMap<RecordKey, RecordState>,
): RecordState["children"] {
  const recordState = recordStates.get(recordKey(kind, source.id));
  return recordState !== undefined && foldIds(recordState.targetId) === foldIds(target.id)
    ? recordState.children
    : undefined;
}

/** Adds to the children of the state all others with the same ids, because the record comes from the target itself. */
function withSameIds(
  kind: ResourceKind,
  { body }: StackRecord,
  fromState: RecordState["children"] = {},
): RecordState["children"] {
  return Object.fromEntries(
    kind.children.map((children) => {
      const known = fromState[children.space] ?? {};
      const taken = new Set(Object.values(known).map(foldIds));
      const ids = childrenOf(body, children)
        .map(childIdOf)
        .filter((id) => id !== "" && !taken.has(foldIds(id)));
      return [children.space, { ...Object.fromEntries(ids.map((id) => [id, id])), ...known }];
    }),
  );
}

/**
 * Removes the mappings of children that contradict the state. Also removes the mappings of children that the state does not contain
 * if the names differ: a merge must not confuse two children that are only similar.
 */
function withoutGuesses(
  mappings: readonly IdMapping[],
  kind: ResourceKind,
  source: Pick<StackRecord, "id" | "body">,
  target: JsonObject,
  fromState: RecordState["children"] | undefined,
): IdMapping[] {
  if (fromState === undefined) return [...mappings];
  const expected = new Map<string, string>();
  const taken = new Set<string>();
  for (const [space, ids] of Object.entries(fromState)) {
    for (const [id, targetId] of Object.entries(ids)) {
      expected.set(`${space} ${childId(source.id, id)}`, foldIds(targetId));
      taken.add(`${space} ${foldIds(targetId)}`);
    }
  }
  const sourceNames = childNames(kind, source.body, (id) => childId(source.id, id));
  const targetNames = childNames(kind, target, foldIds);
  return mappings.filter(({ space, from, to }) => {
    const [fromKey, toKey] = [`${space} ${from}`, `${space} ${foldIds(to)}`];
    const expectedId = expected.get(fromKey);
    if (expectedId !== undefined) return expectedId === foldIds(to);
    return !taken.has(toKey) && sourceNames.get(fromKey) === targetNames.get(toKey);
  });
}

function childNames(kind: ResourceKind, body: JsonObject, keyOf: (id: string) => string): ReadonlyMap<string, string> {
  return new Map(
    kind.children.flatMap((children) =>
      childrenOf(body, children).map((child) => [
        `${children.space} ${keyOf(childIdOf(child))}`,
        children.nameOf(child).trim(),
      ]),
    ),
  );
}
