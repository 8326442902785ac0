import { getOrMake } from "../core/collections.ts";
import type { JsonObject } from "../core/json.ts";
import type { IdMap } from "../core/plan/id-map.ts";
import { placesAt } from "../core/records/member-path.ts";
import { recordKey, type StackRecord } from "../core/records/record.ts";
import type { ResourceKind } from "../core/resource-kind.ts";
import { yieldToEventLoop } from "../core/event-loop.ts";
import { findKind } from "../kinds/registry.ts";
import type { ArchiveIndex } from "../references/archive-index.ts";
import { foldIds, isSameId } from "../references/known-ids.ts";
import { recordFinder, type Inventory } from "./inventory.ts";
import { recordFingerprint } from "../references/record-content.ts";

export type Rung = "map-file" | "journal" | "file-name" | "same-id" | "equal-content" | "natural-key";

export interface RecordPairs {
  readonly pairs: ReadonlyMap<string, StackRecord>;
  readonly ambiguous: ReadonlyMap<string, readonly StackRecord[]>;
  /** Archive id → the target's records with the same natural key, all with their data in another place. */
  readonly elsewhere: ReadonlyMap<string, readonly StackRecord[]>;
  readonly rungs: ReadonlyMap<string, Rung>;
}

export interface RecordToMatch {
  readonly record: StackRecord;
  readonly body: JsonObject;
}

type Pair = readonly [RecordToMatch, StackRecord];

export type FindTargetId = (record: StackRecord) => string | undefined;

export interface GivenIds {
  readonly mappedId: FindTargetId;
  readonly rememberedId: FindTargetId;
  readonly namedId: FindTargetId;
}

export interface KnownIdentity extends GivenIds {
  /** Undefined for a record that gets a name prefix, because the import makes a copy. */
  readonly sameId: FindTargetId;
  /** True if the archive is from the target: an equal id is then proof. */
  readonly ownStack: boolean;
  readonly differInPlace: (archived: StackRecord, targetRecord: StackRecord) => boolean;
  /** Records stay unpaired if several could be the right one, because nothing would show a wrong pair. */
  readonly onlyUnique: boolean;
  /** True if other records, such as alerts, live on this record. */
  readonly isLivedOn: (targetRecord: StackRecord) => boolean;
  /** If set, equal content pairs only records that it accepts, and a natural key without an equal id pairs nothing. */
  readonly isMadeAgain?: IsMadeAgain | undefined;
}

export type IsMadeAgain = (deleted: StackRecord, record: StackRecord) => boolean;

interface Unpaired {
  readonly archived: readonly RecordToMatch[];
  readonly target: readonly StackRecord[];
}

type Rule = (unpaired: Unpaired, signal: AbortSignal | undefined) => Promise<Found>;

interface Found extends Partial<Pick<RecordPairs, "ambiguous" | "elsewhere">> {
  readonly pairs: readonly Pair[];
  readonly remaining?: Unpaired;
}

type Ladder = readonly (readonly [Rung, Rule])[];

interface Comparison extends KnownIdentity {
  readonly kind: ResourceKind;
  readonly archived: readonly RecordToMatch[];
  readonly digestOf: (of: RecordToMatch | StackRecord) => string;
}

/** Each rule gets the records that earlier rules left unpaired. */
export async function matchRecords(
  kind: ResourceKind,
  archived: readonly RecordToMatch[],
  target: readonly StackRecord[],
  identity: KnownIdentity,
  signal?: AbortSignal,
): Promise<RecordPairs> {
  const ladder = makeLadder({ ...identity, kind, archived, digestOf: digestOnce(kind) });
  const found = {
    pairs: new Map<string, StackRecord>(),
    rungs: new Map<string, Rung>(),
    ambiguous: new Map<string, readonly StackRecord[]>(),
    elsewhere: new Map<string, readonly StackRecord[]>(),
  };
  let unpaired: Unpaired = { archived, target };
  for (const [rung, rule] of ladder) {
    const { pairs, ambiguous = [], elsewhere = [], remaining } = await rule(unpaired, signal);
    for (const [{ record }, counterpart] of pairs) {
      found.pairs.set(record.id, counterpart);
      found.rungs.set(record.id, rung);
    }
    for (const [id, records] of ambiguous) if (!found.ambiguous.has(id)) found.ambiguous.set(id, records);
    for (const [id, records] of elsewhere) if (!found.elsewhere.has(id)) found.elsewhere.set(id, records);
    unpaired = remaining ?? withoutPairs(unpaired, pairs);
  }
  for (const id of found.pairs.keys()) {
    found.ambiguous.delete(id);
    found.elsewhere.delete(id);
  }
  return found;
}

function makeLadder(comparison: Comparison): Ladder {
  const { kind, mappedId, rememberedId, namedId } = comparison;
  const { sameId, ownStack, onlyUnique, digestOf, differInPlace, isMadeAgain } = comparison;
  return [
    ["map-file", mapFileIds(mappedId, onlyUnique)],
    ["journal", byId(rememberedId)],
    ["file-name", byId(namedId)],
    // An earlier run may have created a copy with equal content next to the original, so equal ids come first.
    ["same-id", byId(sameId, { accepts: (of, record) => ownStack || digestOf(of) === digestOf(record) })],
    ["equal-content", equalContents(comparison, digestOf)],
    [
      "same-id",
      byId(sameId, { accepts: (of, record) => haveOneKey(kind, of, record) && !differInPlace(of.record, record) }),
    ],
    // Compares the untranslated body: somebody may have created the record again with the old ids in its texts.
    ...(isMadeAgain === undefined
      ? rulesOfNames(comparison)
      : [["equal-content", equalContents(comparison, ({ record }) => digestOf(record))] as const]),
  ];
}

function rulesOfNames(comparison: Comparison): Ladder {
  return [
    ...comparison.kind.naturalKeys.map((keyOf) => ["natural-key", onlyOneOfKey(comparison, keyOf)] as const),
    ["same-id", onlyIds(comparison.sameId)],
  ];
}

function withoutPairs({ archived, target }: Unpaired, pairs: readonly Pair[]): Unpaired {
  const candidates = new Set(pairs.map(([candidate]) => candidate));
  const ids = new Set(pairs.map(([, { id }]) => id));
  return {
    archived: archived.filter((candidate) => !candidates.has(candidate)),
    target: target.filter(({ id }) => !ids.has(id)),
  };
}

async function groupByKey<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string | undefined,
  signal: AbortSignal | undefined,
): Promise<Map<string | undefined, Item[]>> {
  const groups = new Map<string | undefined, Item[]>();
  for (const item of items) {
    getOrMake(groups, keyOf(item), () => []).push(item);
    await yieldToEventLoop(signal);
  }
  return groups;
}

interface ById {
  readonly accepts?: (candidate: RecordToMatch, record: StackRecord) => boolean;
  readonly areShared?: boolean;
}

function byId(idOf: FindTargetId, { accepts = () => true, areShared = false }: ById = {}): Rule {
  return async ({ archived, target }, signal) => {
    const records = new Map(target.map((record) => [foldIds(record.id), record]));
    const pairs: Pair[] = [];
    for (const candidate of archived) {
      const id = foldIds(idOf(candidate.record) ?? "");
      const record = records.get(id);
      if (record !== undefined && accepts(candidate, record)) {
        pairs.push([candidate, record]);
        if (!areShared) records.delete(id);
      }
      await yieldToEventLoop(signal);
    }
    return { pairs };
  };
}

/** No other rule pairs a record that the map file names, even if the target's list hides the counterpart. */
function mapFileIds(mappedId: FindTargetId, areShared: boolean): Rule {
  return async (unpaired, signal) => {
    const { pairs } = await byId(mappedId, { areShared: true })(unpaired, signal);
    const archived = unpaired.archived.filter(({ record }) => mappedId(record) === undefined);
    return {
      pairs,
      remaining: { archived, target: areShared ? unpaired.target : withoutPairs(unpaired, pairs).target },
    };
  };
}

/** Records of equal content do not pair if alerts are on one of them: the alerts could double (docs/api.md#dashboards). */
function equalContents(
  { onlyUnique, digestOf, differInPlace, isLivedOn, isMadeAgain = () => true }: Comparison,
  digestOfArchived: (candidate: RecordToMatch) => string,
): Rule {
  return async ({ archived, target }, signal) => {
    const from = await groupByKey(archived, digestOfArchived, signal);
    const to = await groupByKey(target, digestOf, signal);
    const pairs: Pair[] = [];
    for (const [digest, candidates] of from) {
      const records = to.get(digest) ?? [];
      if (onlyUnique && records.length > candidates.length) continue;
      if (Math.max(records.length, candidates.length) > 1 && records.some(isLivedOn)) continue;
      for (const candidate of candidates) {
        const { record: archivedRecord } = candidate;
        const index = records.findIndex(
          (record) => !differInPlace(archivedRecord, record) && isMadeAgain(archivedRecord, record),
        );
        const [match] = index < 0 ? [] : records.splice(index, 1);
        if (match !== undefined) pairs.push([candidate, match]);
      }
    }
    return { pairs };
  };
}

/** The user decides whether records with only equal ids correspond. */
function onlyIds(sameId: FindTargetId): Rule {
  return async (unpaired, signal) => {
    const { pairs } = await byId(sameId)(unpaired, signal);
    return { pairs: [], ambiguous: new Map(pairs.map(([{ record }, targetRecord]) => [record.id, [targetRecord]])) };
  };
}

function haveOneKey({ naturalKeys }: ResourceKind, { body }: RecordToMatch, record: StackRecord): boolean {
  return naturalKeys.some((keyOf) => {
    const key = foldKey(keyOf(body));
    return key !== undefined && key === foldKey(keyOf(record.body));
  });
}

/** A key pairs two records if it is unambiguous. With `onlyUnique`, paired archived records count, too. */
function onlyOneOfKey(comparison: Comparison, keyOf: (body: JsonObject) => string | undefined): Rule {
  const { kind, onlyUnique, differInPlace } = comparison;
  // Without places, records of one key share one list of candidates: a list for each record would not fit in memory.
  const hasPlace = kind.dataPlaceOf !== undefined || kind.idsLearnedFrom.length > 0;
  const inOnePlace = ({ record }: RecordToMatch, records: readonly StackRecord[]): readonly StackRecord[] =>
    hasPlace ? records.filter((candidate) => !differInPlace(record, candidate)) : records;
  const keyOfArchived = ({ body }: RecordToMatch): string | undefined => foldKey(keyOf(body));
  return async ({ archived, target }, signal) => {
    const from = await groupByKey(archived, keyOfArchived, signal);
    const to = await groupByKey(target, ({ body }) => foldKey(keyOf(body)), signal);
    const counts = onlyUnique ? await groupByKey(comparison.archived, keyOfArchived, signal) : from;
    const pairs: Pair[] = [];
    const ambiguous = new Map<string, readonly StackRecord[]>();
    const elsewhere = new Map<string, readonly StackRecord[]>();
    for (const [key, candidates] of from) {
      const records = key === undefined ? [] : (to.get(key) ?? []);
      const isOnly = counts.get(key)?.length === 1;
      for (const candidate of candidates) {
        const { id } = candidate.record;
        const counterparts = inOnePlace(candidate, records);
        const [counterpart] = counterparts;
        if (counterpart === undefined) {
          if (records.length > 0) elsewhere.set(id, records);
        } else if (isOnly && counterparts.length === 1) pairs.push([candidate, counterpart]);
        else ambiguous.set(id, counterparts);
      }
    }
    return { pairs, ambiguous, elsewhere };
  };
}

export function naturalKey(kind: ResourceKind, body: JsonObject): string | undefined {
  return foldKey(kind.naturalKeys[0]?.(body));
}

function foldKey(key: string | undefined): string | undefined {
  return key === undefined ? undefined : foldIds(key);
}

function digestOnce(kind: ResourceKind): (of: RecordToMatch | StackRecord) => string {
  const digests = new Map<RecordToMatch | StackRecord, string>();
  return (of) => getOrMake(digests, of, () => recordFingerprint(kind, of.body));
}

export type DifferInPlace = (kind: ResourceKind, archived: StackRecord, targetRecord: StackRecord) => boolean;

/**
 * A fresh installation has its own connection and sources, so a record of the same name may show other data.
 * @param ids the matches so far
 */
export function placeComparer(archive: ArchiveIndex, inventory: Inventory, ids: IdMap): DifferInPlace {
  const ofTarget = recordFinder(inventory);
  return (kind, archived, targetRecord) =>
    differ(kind, archived, targetRecord) ||
    kind.idsLearnedFrom.some(({ path, space }) => {
      const [from, to] = [archived, targetRecord].map(({ body }) => placesAt(body, path)[0]?.value);
      const pointedTo = findKind(space);
      if (typeof from !== "string" || typeof to !== "string" || pointedTo === undefined) return false;
      if (isSameId(ids.get(space, from) ?? "", to)) return false;
      const [left, right] = [archive.byKey.get(recordKey(space, from)), ofTarget(space, to)];
      return left !== undefined && right !== undefined && differ(pointedTo, left, right);
    });
}

function differ({ dataPlaceOf }: ResourceKind, left: StackRecord, right: StackRecord): boolean {
  const [leftPlace, rightPlace] = [dataPlaceOf?.(left.body), dataPlaceOf?.(right.body)];
  return leftPlace !== undefined && rightPlace !== undefined && leftPlace !== rightPlace;
}
