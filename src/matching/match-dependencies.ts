import { groupBy } from "../core/collections.ts";
import type { IdMap, IdMapping } from "../core/plan/id-map.ts";
import type { JsonObject } from "../core/json.ts";
import { placesAt } from "../core/records/member-path.ts";
import type { Match } from "../core/plan/plan.ts";
import type { IdSpace, ResourceKind } from "../core/resource-kind.ts";
import { recordFingerprint } from "../references/record-content.ts";
import { recordFinder, type InventoryOfKind, type Inventory } from "./inventory.ts";
import { recordKey, type StackRecord } from "../core/records/record.ts";
import { findKind } from "../kinds/registry.ts";
import { goingLast, type ExactMatches } from "./match-records.ts";
import type { ArchiveIndex } from "../references/archive-index.ts";
import { foldIds } from "../references/known-ids.ts";

/** Matches of the records that dashboards and alerts depend on: connections, sources, webhooks and saved searches. */
export interface DependencyMatches {
  readonly matches: readonly Match[];
  /** Archive id → candidates on the target. */
  readonly ambiguous: ReadonlyMap<string, readonly StackRecord[]>;
  /** Archive id → the target's records of the same name whose data is in another place. */
  readonly elsewhere: ReadonlyMap<string, readonly StackRecord[]>;
}

/** The other inputs of `matchDependencies`: the matches known so far, and functions that translate and compare records. */
export interface DependencyInput {
  /** Archive ids whose counterparts the map file gives. */
  readonly mapped: ReadonlySet<string>;
  /** Archive id → target id, from the journal or the state. */
  readonly written: ReadonlyMap<string, string>;
  /** Translates the body of an archived record to the target's ids, as far as they are known. */
  readonly translated: (record: StackRecord) => JsonObject;
  /** Whether the target is the stack that the archive was made from. */
  readonly ownStack: boolean;
  /** Set for the images of a rollback. */
  readonly exact?: ExactMatches | undefined;
  readonly differInPlace: DifferInPlace;
}

/**
 * Finds the target's counterparts of the archive's records of one kind: first by equal id, then one to one by equal content, then
 * by natural keys, the strongest key first. A natural key counts only if it is unique on both sides and the data of both records is
 * not in different places. If the target is not the archive's own stack, an equal id counts only together with an equal natural
 * key; a record with nothing but an equal id is ambiguous.
 */
export function matchDependencies(
  kind: ResourceKind,
  archived: readonly StackRecord[],
  inventory: InventoryOfKind,
  input: DependencyInput,
): DependencyMatches {
  const { mapped, written, exact } = input;
  const targetsById = new Map(inventory.records.map((record) => [record.id, record]));
  const candidates = archived.filter(({ id }) => !mapped.has(id) && !written.has(id));
  const matches = matchSameIds(kind, candidates, targetsById, input);
  const listed = goingLast(inventory.records, exact);
  // Two archived records never have the same counterpart, unless the map file says so.
  const unmatched = (): Unmatched => ({
    records: withoutIds(candidates, new Set(matches.map(({ from }) => from))),
    targets: withoutIds(listed, new Set([...matches.map(({ to }) => to), ...written.values()])),
  });
  matches.push(...matchEqualContent(kind, unmatched(), input));
  const ambiguous = new Map<string, readonly StackRecord[]>();
  const elsewhere = new Map<string, readonly StackRecord[]>();
  for (const keyOf of exact === undefined ? kind.naturalKeys : []) {
    for (const { record, alike, counterparts, only } of compareKeys(kind, keyOf, archived, unmatched(), input)) {
      if (counterparts.length === 0 && alike.length > 0 && !elsewhere.has(record.id)) elsewhere.set(record.id, alike);
      if (only !== undefined) {
        matches.push(matchOf(kind.name, record, only, "natural-key"));
        ambiguous.delete(record.id);
      } else if (counterparts.length > 0) ambiguous.set(record.id, counterparts);
    }
  }
  const [matched, taken] = [new Set(matches.map(({ from }) => from)), new Set(matches.map(({ to }) => to))];
  for (const { id } of candidates) {
    const same = targetsById.get(id);
    if (same && !matched.has(id) && !taken.has(id) && !ambiguous.has(id)) ambiguous.set(id, [same]);
  }
  for (const { from } of matches) elsewhere.delete(from);
  return { matches, ambiguous, elsewhere };
}

/** The records of both sides that no step has matched so far. */
interface Unmatched {
  readonly records: readonly StackRecord[];
  readonly targets: readonly StackRecord[];
}

function matchSameIds(
  kind: ResourceKind,
  candidates: readonly StackRecord[],
  targetsById: ReadonlyMap<string, StackRecord>,
  { ownStack, differInPlace }: DependencyInput,
): Match[] {
  return candidates.flatMap((record): Match[] => {
    const same = targetsById.get(record.id);
    if (same === undefined) return [];
    const haveOneKey = kind.naturalKeys.some((keyOf) => {
      const key = keyOf(record.body);
      return key !== undefined && key === keyOf(same.body);
    });
    const isSameRecord = ownStack || (haveOneKey && !differInPlace(kind, record, same));
    return isSameRecord ? [matchOf(kind.name, record, same, "same-id")] : [];
  });
}

function matchEqualContent(kind: ResourceKind, unmatched: Unmatched, { translated }: DependencyInput): Match[] {
  const targetsByContent = groupBy(unmatched.targets, ({ body }) => recordFingerprint(kind, body));
  const recordsByContent = groupBy(unmatched.records, (record) => recordFingerprint(kind, translated(record)));
  return [...recordsByContent].flatMap(([digest, records]) => {
    const equal = targetsByContent.get(digest) ?? [];
    // If more records have this content on the target than in the archive, an archived record could be any of them,
    // so none is matched by content.
    if (equal.length > records.length) return [];
    return equal.flatMap((targetRecord, index) => {
      const record = records[index];
      return record ? [matchOf(kind.name, record, targetRecord, "equal-content")] : [];
    });
  });
}

/** The target's records that have one natural key with a record of the archive. */
interface KeyComparison {
  readonly record: StackRecord;
  readonly alike: readonly StackRecord[];
  /** The records of `alike` whose data is not in another place. */
  readonly counterparts: readonly StackRecord[];
  /** The counterpart, if the key is unique on both sides. */
  readonly only: StackRecord | undefined;
}

function compareKeys(
  kind: ResourceKind,
  keyOf: ResourceKind["naturalKeys"][number],
  archived: readonly StackRecord[],
  unmatched: Unmatched,
  { translated, differInPlace }: DependencyInput,
): KeyComparison[] {
  const keyOfArchived = (record: StackRecord): string | undefined => keyOf(translated(record));
  const archivedByKey = groupBy(archived, keyOfArchived);
  const targetsByKey = groupBy(unmatched.targets, ({ body }) => keyOf(body));
  return unmatched.records.map((record) => {
    const key = keyOfArchived(record);
    const alike = key === undefined ? [] : (targetsByKey.get(key) ?? []);
    const counterparts = alike.filter((candidate) => !differInPlace(kind, record, candidate));
    const isUnique = counterparts.length === 1 && archivedByKey.get(key)?.length === 1;
    return { record, alike, counterparts, only: isUnique ? counterparts[0] : undefined };
  });
}

function withoutIds(records: readonly StackRecord[], ids: ReadonlySet<string>): StackRecord[] {
  return records.filter(({ id }) => !ids.has(id));
}

/**
 * Infers matches of ids that no list offers (connections) from matched records: the connection of source A corresponds to the
 * connection of A's counterpart. If A has several candidates, all of them count. Infers nothing if two sources or candidates
 * suggest different connections, or if the connections lead to different places.
 */
export function inferMatches(
  kind: ResourceKind,
  archived: readonly StackRecord[],
  inventory: InventoryOfKind,
  ids: IdMap,
  { ambiguous, differInPlace }: Pick<DependencyMatches, "ambiguous"> & Pick<DependencyInput, "differInPlace">,
): Match[] {
  const targets = new Map(inventory.records.map((record) => [record.id, record]));
  const counterparts = ({ id }: StackRecord): readonly StackRecord[] => {
    const matched = targets.get(ids.get(kind.name, id) ?? "");
    // An equal id alone is not evidence of a match.
    return matched ? [matched] : (ambiguous.get(id) ?? []).filter((candidate) => candidate.id !== id);
  };
  // The records' own places may differ if a map file matched them, so only the places of the referenced records count.
  const pointing = { ...kind, dataPlaceOf: () => undefined };
  return kind.idsLearnedFrom.flatMap(({ path, space }) => {
    const inferred = archived.flatMap((record) =>
      counterparts(record).flatMap((target) => {
        if (differInPlace(pointing, record, target)) return [];
        const [from, to] = [record, target].map(({ body }) => placesAt(body, path)[0]?.value);
        return typeof from === "string" && typeof to === "string" ? [{ space, from, to }] : [];
      }),
    );
    return unanimousMappings(inferred).flatMap(({ from, to }) =>
      ids.get(space, from) === undefined ? [{ space, from, to, name: from, targetName: to, rule: "inferred" }] : [],
    );
  });
}

/** Returns one mapping for each id for which all mappings suggest the same counterpart. */
export function unanimousMappings(mappings: readonly IdMapping[]): IdMapping[] {
  return [...groupBy(mappings, ({ space, from }) => `${space}/${from}`).values()].flatMap(([first, ...others]) =>
    first && others.every(({ to }) => to === first.to) ? [first] : [],
  );
}

function matchOf(space: IdSpace, from: StackRecord, to: StackRecord, rule: string): Match {
  return { space, from: from.id, to: to.id, name: from.name, targetName: to.name, rule };
}

/** Tells whether the data of two records is certainly in different places: another host, database or table. */
export type DifferInPlace = (kind: ResourceKind, archived: StackRecord, targetRecord: StackRecord) => boolean;

/**
 * Makes a function that compares where the data of two records is. A fresh installation has a connection and sources of its own, so
 * a record of the same name may show other data. Referenced records (connections) that are already matched count as one place.
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
      if (foldIds(ids.get(space, from) ?? "") === foldIds(to)) return false;
      const [left, right] = [archive.byKey.get(recordKey(space, from)), ofTarget(space, to)];
      return left !== undefined && right !== undefined && differ(pointedTo, left, right);
    });
}

function differ({ dataPlaceOf }: ResourceKind, left: StackRecord, right: StackRecord): boolean {
  const [leftPlace, rightPlace] = [dataPlaceOf?.(left.body), dataPlaceOf?.(right.body)];
  return leftPlace !== undefined && rightPlace !== undefined && leftPlace !== rightPlace;
}
