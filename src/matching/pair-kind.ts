import { baseOfPair } from "../references/compare.ts";
import { IdMap, type IdMapping } from "../core/plan/id-map.ts";
import { keyOfRecord, type RecordKey, type StackRecord } from "../core/records/record.ts";
import type { ResourceKind } from "../core/resource-kind.ts";
import { yieldToEventLoop } from "../core/event-loop.ts";
import { referenceTargetsOf, type ArchiveIndex } from "../references/archive-index.ts";
import { childrenOfSameId, mapChildrenByIdentity } from "../references/children.ts";
import { fitted, isRequested, namePrefixOf, type PlanOptions } from "./plan-options.ts";
import { hostKeysOf } from "../references/references.ts";
import { knownKind } from "../kinds/registry.ts";
import { translatedBody } from "./translated-body.ts";
import { recordFinder, recordsOf, type Inventory } from "./inventory.ts";
import {
  matchRecords,
  type DifferInPlace,
  type GivenIds,
  type IsMadeAgain,
  type KnownIdentity,
  type RecordPairs,
  type RecordToMatch,
} from "./match-records.ts";
import { withChosenPair } from "./chosen-child.ts";
import type { Bases } from "../core/plan/base.ts";

/** A chain of references within a kind needs one round per record. */
const MAX_ROUNDS = 4;

export interface KindPairs extends RecordPairs {
  readonly mappings: readonly IdMapping[];
}

const NO_PAIRS: KindPairs = {
  pairs: new Map(),
  rungs: new Map(),
  ambiguous: new Map(),
  elsewhere: new Map(),
  mappings: [],
};

export interface PairBasis {
  readonly bases: Bases;
  readonly archive: ArchiveIndex;
  readonly inventory: Inventory;
  readonly options: PlanOptions;
  readonly ids: IdMap;
  readonly given: GivenIds;
  readonly differInPlace: DifferInPlace;
  readonly ownStack: boolean;
  /** Accepts uncertain pairs, because a comparison writes nothing. */
  readonly isComparison?: true;
  readonly isMadeAgain?: IsMadeAgain | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Records may reference others of their kind, so each round translates with the pairs of the previous round. */
export async function pairKind(kind: ResourceKind, basis: PairBasis): Promise<KindPairs> {
  const { archive, inventory, ids, given, ownStack, isMadeAgain } = basis;
  const target = inventory.kinds.get(kind.name)?.records ?? [];
  if (target.length === 0) return NO_PAIRS;
  const identity: Omit<KnownIdentity, "sameId"> = {
    ...given,
    ownStack,
    isMadeAgain,
    onlyUnique: kind.importPolicy.when === "on-request" && basis.isComparison !== true && isMadeAgain === undefined,
    differInPlace: (archived, record) => basis.differInPlace(kind, archived, record),
    isLivedOn: basis.isComparison === true || isMadeAgain !== undefined ? () => false : hostFinder(inventory),
  };
  const pairWith = (knownIds: IdMap): Promise<KindPairs> =>
    pairOnce(kind, target, { ...basis, ids: knownIds }, identity);
  let paired = await pairWith(ids);
  if (paired.pairs.size === 0 || !pointsToItsOwn(kind, archive)) return paired;
  for (let round = 2; round <= MAX_ROUNDS; round += 1) {
    const before = paired;
    paired = await pairWith(new IdMap([...ids, ...before.mappings]));
    if (samePairs(before, paired)) break;
  }
  return paired;
}

function hostFinder(inventory: Inventory): KnownIdentity["isLivedOn"] {
  let hosts: ReadonlySet<RecordKey> | undefined;
  return (record) => {
    hosts ??= new Set(recordsOf(inventory).flatMap(({ kind, body }) => hostKeysOf(knownKind(kind), body)));
    return hosts.has(keyOfRecord(record));
  };
}

function samePairs(left: RecordPairs, right: RecordPairs): boolean {
  return (
    left.pairs.size === right.pairs.size && [...left.pairs].every(([from, to]) => right.pairs.get(from)?.id === to.id)
  );
}

async function pairOnce(
  kind: ResourceKind,
  target: readonly StackRecord[],
  basis: PairBasis,
  identity: Omit<KnownIdentity, "sameId">,
): Promise<KindPairs> {
  const { archive, inventory, options, ids, signal } = basis;
  const { mappedId, rememberedId, namedId } = identity;
  const find = recordFinder(inventory);
  const isGiven = (record: StackRecord): boolean =>
    [mappedId, rememberedId, namedId].some((idOf) => find(kind.name, idOf(record) ?? "") !== undefined);
  // For a record that gets a prefix, the target's record of the same id is no counterpart.
  const isRenamed = (record: StackRecord): boolean => options.namePrefix !== undefined && isRequested(record, options);
  // A nameless alert gets no prefix: it becomes new with its dashboard or saved search.
  const livesOnNew = (record: StackRecord): boolean =>
    record.name === "" &&
    !isGiven(record) &&
    hostsOf(kind, record, archive).some((host) => isRenamed(host) && ids.get(host.kind, host.id) === undefined);
  const { namePrefix = "" } = options;
  // On the archive's own stack, copies of an earlier run are the counterparts of the originals, not of themselves.
  const isCopy = (record: StackRecord): boolean =>
    !isRequested(record, options) &&
    [record, ...hostsOf(kind, record, archive)].some(({ name }) => name.startsWith(namePrefix));
  const areCopiesThere = basis.ownStack && namePrefix !== "" && kind.nameFields.name !== undefined;
  const candidates = (archive.byKind.get(kind.name) ?? [])
    .filter((record) => !livesOnNew(record) && !(areCopiesThere && isCopy(record)))
    .map((record) => {
      const translation = { ids, knownIds: archive.knownIds, namePrefix: namePrefixOf(record, options) };
      return { record, body: fitted(kind, translatedBody(kind, record, translation), options) };
    });
  const sameId = (record: StackRecord): string | undefined =>
    kind.nameFields.name !== undefined && isRenamed(record) ? undefined : record.id;
  const found = await matchRecords(kind, candidates, target, { ...identity, sameId }, signal);
  const mappings: IdMapping[] = [];
  for (const candidate of candidates) {
    await yieldToEventLoop(signal);
    const { id } = candidate.record;
    const counterpart = found.pairs.get(id);
    if (!counterpart) continue;
    mappings.push({ space: kind.name, from: id, to: counterpart.id });
    mappings.push(...mapChildren(kind, candidate, counterpart, basis));
  }
  return { ...found, mappings };
}

function mapChildren(
  kind: ResourceKind,
  { record, body }: RecordToMatch,
  counterpart: StackRecord,
  { options: { chosen }, bases, ownStack }: PairBasis,
): readonly IdMapping[] {
  const key = keyOfRecord(record);
  const base = baseOfPair(bases, key, counterpart.id);
  const known = base?.children;
  const pairs = ownStack ? childrenOfSameId(kind, record.body, { known, target: counterpart.body }) : known;
  // A base without `children` is complete if it has no part that is a child.
  const isKnown = known !== undefined || !Object.keys(base?.parts ?? {}).some((part) => part.includes("/"));
  // With `--tile`, similar children do not pair: the chosen child could replace a wrong one.
  const isWhole = chosen?.owner === key || (base?.whole === true && isKnown);
  const children = mapChildrenByIdentity(kind, record.id, body, counterpart.body, { pairs, isWhole });
  if (chosen?.owner !== key) return children;
  return withChosenPair(children, chosen, record.id, { source: body, target: counterpart.body, known: pairs ?? {} });
}

export function hostsOf(kind: ResourceKind, { body }: StackRecord, { byKey }: ArchiveIndex): StackRecord[] {
  return hostKeysOf(kind, body).flatMap((key) => byKey.get(key) ?? []);
}

function pointsToItsOwn(kind: ResourceKind, archive: ArchiveIndex): boolean {
  const ownPrefix = `${kind.name}/`;
  return (archive.byKind.get(kind.name) ?? []).some((record) =>
    referenceTargetsOf(archive, record).some((referenceTarget) => referenceTarget.record?.startsWith(ownPrefix)),
  );
}
