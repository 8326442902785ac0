import type { IdMapping } from "../core/plan/id-map.ts";
import type { RememberedRecord } from "../core/plan/memory.ts";
import type { ManualMapping, Match } from "../core/plan/plan.ts";
import type { KindName, RecordKey, StackRecord } from "../core/records/record.ts";
import { recordKey } from "../core/records/record.ts";
import type { ResourceKind } from "../core/resource-kind.ts";
import type { ArchiveIndex } from "../references/archive-index.ts";
import { foldIds } from "../references/known-ids.ts";
import type { Inventory } from "./inventory.ts";

/**
 * What earlier runs have noted of the records of one kind: a journal, or a memory. A record that somebody has deleted on the
 * target since then is not known.
 */
export function notedIds(
  kind: ResourceKind,
  archive: ArchiveIndex,
  inventory: Inventory,
  noted: ReadonlyMap<RecordKey, { readonly targetId: string }>,
): IdMapping[] {
  const there = new Map(inventory.kinds.get(kind.name)?.records.map(({ id }) => [foldIds(id), id]));
  return (archive.byKind.get(kind.name) ?? []).flatMap(({ id }) => {
    const to = there.get(foldIds(noted.get(recordKey(kind.name, id))?.targetId ?? ""));
    return to === undefined ? [] : [{ space: kind.name, from: id, to }];
  });
}

/** Those of the second that neither side of the first decides on: one record of the target is never two of the source. */
export function withoutDecided(mappings: readonly IdMapping[], decided: readonly IdMapping[]): IdMapping[] {
  const from = new Set(decided.map((each) => `${each.space} ${each.from}`));
  const to = new Set(decided.map((each) => `${each.space} ${foldIds(each.to)}`));
  return mappings.filter(
    (each) => !from.has(`${each.space} ${each.from}`) && !to.has(`${each.space} ${foldIds(each.to)}`),
  );
}

/** What is remembered as matches, for the plan to show. */
export function rememberedMatches(
  mappings: readonly IdMapping[],
  archive: ArchiveIndex,
  inventory: Inventory,
): Match[] {
  return mappings.map(({ space, from, to }) => {
    const there = inventory.kinds.get(space)?.records.find(({ id }) => id === to);
    const name = archive.byKey.get(recordKey(space, from))?.name ?? from;
    return { space, from, to, name, targetName: there?.name ?? to, rule: "memory" };
  });
}

/** The lines of a mapping that go by names, without those that a memory decides on. */
export function withoutRemembered(paired: ManualMapping, remembered: readonly IdMapping[]): ManualMapping {
  return Object.fromEntries(
    Object.entries(paired).map(([space, lines]) => {
      const all = Object.entries(lines).flatMap(([from, to]) => (typeof to === "string" ? [{ space, from, to }] : []));
      return [space, Object.fromEntries(withoutDecided(all, remembered).map(({ from, to }) => [from, to]))];
    }),
  );
}

/** Pairs of children that are remembered of a record, if the target's record is still the one that it became. */
export function rememberedChildren(
  kind: KindName,
  source: StackRecord,
  target: StackRecord,
  remembered: ReadonlyMap<RecordKey, RememberedRecord>,
): RememberedRecord["children"] {
  const known = remembered.get(recordKey(kind, source.id));
  return known !== undefined && foldIds(known.targetId) === foldIds(target.id) ? known.children : undefined;
}
