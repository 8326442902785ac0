import { groupBy } from "../core/collections.ts";
import type { IdMap } from "../core/plan/id-map.ts";
import type { JsonObject } from "../core/json.ts";
import { placesAt } from "../core/records/member-path.ts";
import type { Match } from "../core/plan/plan.ts";
import type { StackRecord } from "../core/records/record.ts";
import type { IdSpace, ResourceKind } from "../core/resource-kind.ts";
import { recordFingerprint } from "../references/record-content.ts";
import type { InventoryOfKind } from "./inventory.ts";
import type { DifferInPlace } from "./places.ts";

/** Matches of records that are looked up before anything is written: connections, sources, webhooks and saved searches. */
export interface LookupMatches {
  readonly matches: readonly Match[];
  /** By id in the archive: the target's records that it could be. */
  readonly ambiguous: ReadonlyMap<string, readonly StackRecord[]>;
  /** By id in the archive: the target's records that are called like it, and have their data in another place. */
  readonly elsewhere: ReadonlyMap<string, readonly StackRecord[]>;
}

/** What is known of the ids. */
export interface LookupBasis {
  /** Ids of the archive that the map file decides. */
  readonly mapped: ReadonlySet<string>;
  /** Archive id → the target's, as the journal has it. */
  readonly written: ReadonlyMap<string, string>;
  /** The body of an archived record with the target's ids, as far as they are known. */
  readonly translated: (record: StackRecord) => JsonObject;
  /** The target is the stack that the archive was made from. */
  readonly ownStack: boolean;
  readonly differInPlace: DifferInPlace;
}

/**
 * Recognises the archive's records of one kind among the target's: first the same id, then equal content, one for one, then
 * the kind's natural keys, strongest first. A key counts only where it is unique on both sides. On another stack than the
 * archive's own an id counts only with a key that is equal too; what has nothing but an id in common is ambiguous. A key says
 * nothing where the data is in two places.
 */
export function matchLookups(
  kind: ResourceKind,
  archived: readonly StackRecord[],
  inventory: InventoryOfKind,
  { mapped, written, translated, ownStack, differInPlace }: LookupBasis,
): LookupMatches {
  const byId = new Map(inventory.records.map((record) => [record.id, record]));
  const candidates = archived.filter(({ id }) => !mapped.has(id) && !written.has(id));
  const sameId = candidates.flatMap((record): Match[] => {
    const same = byId.get(record.id);
    const haveOneKey = kind.naturalKeys.some((keyOf) => isSame(keyOf(record.body), same && keyOf(same.body)));
    const isSameRecord = same && (ownStack || (haveOneKey && !differInPlace(kind, record, same)));
    return same && isSameRecord ? [describe(kind.name, record, same, "same-id")] : [];
  });
  const contentOf = (body: JsonObject): string => recordFingerprint(kind, body);
  const matches = [...sameId];
  const open = (): StackRecord[] => without(candidates, new Set(matches.map(({ from }) => from)));
  // Two records of the archive are never one of the target's, unless the map file says so.
  const free = (): StackRecord[] =>
    without(inventory.records, new Set([...matches.map(({ to }) => to), ...written.values()]));
  const byContent = groupBy(free(), ({ body }) => contentOf(body));
  for (const [digest, records] of groupBy(open(), (record) => contentOf(translated(record)))) {
    const equal = byContent.get(digest) ?? [];
    // Where the target has more of them, one of its own could be meant.
    if (equal.length > records.length) continue;
    const pairs = equal.flatMap((there, index) => {
      const record = records[index];
      return record ? [describe(kind.name, record, there, "equal-content")] : [];
    });
    matches.push(...pairs);
  }
  const ambiguous = new Map<string, readonly StackRecord[]>();
  const elsewhere = new Map<string, readonly StackRecord[]>();
  for (const keyOf of kind.naturalKeys) {
    const key = (record: StackRecord): string | undefined => keyOf(translated(record));
    const from = groupBy(archived, key);
    const to = groupBy(free(), ({ body }) => keyOf(body));
    for (const record of open()) {
      const value = key(record);
      const alike = value === undefined ? [] : (to.get(value) ?? []);
      const counterparts = alike.filter((there) => !differInPlace(kind, record, there));
      if (counterparts.length === 0 && alike.length > 0 && !elsewhere.has(record.id)) elsewhere.set(record.id, alike);
      const [only] = counterparts;
      if (only && counterparts.length === 1 && from.get(value)?.length === 1) {
        matches.push(describe(kind.name, record, only, "natural-key"));
        ambiguous.delete(record.id);
      } else if (counterparts.length > 0) ambiguous.set(record.id, counterparts);
    }
  }
  const [matched, taken] = [new Set(matches.map(({ from }) => from)), new Set(matches.map(({ to }) => to))];
  for (const { id } of candidates) {
    const same = byId.get(id);
    if (same && !matched.has(id) && !taken.has(id) && !ambiguous.has(id)) ambiguous.set(id, [same]);
  }
  for (const { from } of matches) elsewhere.delete(from);
  return { matches, ambiguous, elsewhere };
}

function without(records: readonly StackRecord[], ids: ReadonlySet<string>): StackRecord[] {
  return records.filter(({ id }) => !ids.has(id));
}

function isSame(left: string | undefined, right: string | undefined): boolean {
  return left !== undefined && left === right;
}

/**
 * Ids that no list offers (connections), inferred from records that were matched: the connection of source A is the
 * connection of the source that A was matched with, or of each of those that A could be. Where two sources disagree, or the two
 * connections are in two places, nothing is inferred.
 */
export function inferMatches(
  kind: ResourceKind,
  archived: readonly StackRecord[],
  inventory: InventoryOfKind,
  ids: IdMap,
  ambiguous: LookupMatches["ambiguous"],
  differInPlace: DifferInPlace,
): Match[] {
  const targets = new Map(inventory.records.map((record) => [record.id, record]));
  const counterparts = ({ id }: StackRecord): readonly StackRecord[] => {
    const matched = targets.get(ids.get(kind.name, id) ?? "");
    // One of the same id that is like it in nothing else says nothing of it.
    return matched ? [matched] : (ambiguous.get(id) ?? []).filter((each) => each.id !== id);
  };
  // Their own places may differ where a map file has matched them; what they point to is another thing then.
  const pointing = { ...kind, placeOf: () => undefined };
  return kind.inferred.flatMap(({ path, space }) => {
    const inferred = archived.flatMap((record) =>
      counterparts(record).flatMap((target) => {
        if (differInPlace(pointing, record, target)) return [];
        const [from, to] = [record, target].map(({ body }) => placesAt(body, path)[0]?.value);
        return typeof from === "string" && typeof to === "string" ? [{ from, to }] : [];
      }),
    );
    return [...groupBy(inferred, (pair) => pair.from)].flatMap(([from, pairs]) => {
      const [to, ...others] = new Set(pairs.map((pair) => pair.to));
      if (to === undefined || others.length > 0 || ids.get(space, from) !== undefined) return [];
      return [{ space, from, to, name: from, targetName: to, rule: "inferred" }];
    });
  });
}

function describe(space: IdSpace, from: StackRecord, to: StackRecord, rule: string): Match {
  return { space, from: from.id, to: to.id, name: from.name, targetName: to.name, rule };
}
