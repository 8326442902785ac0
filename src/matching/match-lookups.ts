import { groupBy } from "../core/collections.ts";
import type { IdMap } from "../core/id-map.ts";
import { placesAt } from "../core/member-path.ts";
import type { Match } from "../core/plan.ts";
import type { StackRecord } from "../core/record.ts";
import type { IdSpace, ResourceKind } from "../core/resource-kind.ts";
import type { InventoryOfKind } from "./inventory.ts";

/** What came of matching records that are looked up, not written: sources and webhooks. */
export interface LookupMatches {
  readonly matches: readonly Match[];
  /** Archive records that several of the target's could be, with those. */
  readonly ambiguous: ReadonlyMap<string, readonly StackRecord[]>;
}

/**
 * Recognises the archive's records of one kind among the target's: first the same id (the archive's own stack), then the
 * kind's natural keys, strongest first. A key counts only where it is unique on both sides.
 */
export function matchLookups(
  kind: ResourceKind,
  archived: readonly StackRecord[],
  inventory: InventoryOfKind,
  taken: readonly Match[],
): LookupMatches {
  const matches: Match[] = [];
  const ambiguous = new Map<string, readonly StackRecord[]>();
  const decided = new Set(taken.map((match) => match.from));
  const byId = new Map(inventory.records.map((record) => [record.id, record]));
  const open = archived.filter((record) => !decided.has(record.id));
  for (const record of open) {
    const same = byId.get(record.id);
    if (same) {
      matches.push(describe(kind.name, record, same, "same-id"));
      decided.add(record.id);
    }
  }
  // Two records of the archive are never one of the target's, unless the user says so in the map file.
  const used = new Set(matches.map((match) => match.to));
  for (const keyOf of kind.naturalKeys) {
    const key = (record: StackRecord): string | undefined => keyOf(record.body);
    const from = groupBy(archived, key);
    const to = groupBy(inventory.records, key);
    for (const record of open) {
      if (decided.has(record.id)) continue;
      const value = key(record);
      const candidates = value === undefined ? [] : (to.get(value) ?? []).filter(({ id }) => !used.has(id));
      const [only] = candidates;
      if (only && candidates.length === 1 && from.get(value)?.length === 1) {
        matches.push(describe(kind.name, record, only, "natural-key"));
        used.add(only.id);
        decided.add(record.id);
        ambiguous.delete(record.id);
      } else if (candidates.length > 0) ambiguous.set(record.id, candidates);
    }
  }
  return { matches, ambiguous };
}

/**
 * Ids that no list offers (connections), learned from records that were matched: the connection of source A is the
 * connection of the source that A was matched with. Where two sources disagree, nothing is learned.
 */
export function inferMatches(
  kind: ResourceKind,
  archived: readonly StackRecord[],
  inventory: InventoryOfKind,
  ids: IdMap,
): Match[] {
  const targets = new Map(inventory.records.map((record) => [record.id, record]));
  return kind.inferred.flatMap(({ path, space }) => {
    const inferred = archived.flatMap((record) => {
      const target = targets.get(ids.get(kind.name, record.id) ?? "");
      const [from, to] = [record, target].map((side) => (side ? placesAt(side.body, path)[0]?.value : undefined));
      return typeof from === "string" && typeof to === "string" ? [{ from, to }] : [];
    });
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
