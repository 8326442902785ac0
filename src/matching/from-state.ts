import type { IdMapping } from "../core/plan/id-map.ts";
import type { RecordState } from "../core/plan/state.ts";
import type { ManualMapping, Match } from "../core/plan/plan.ts";
import type { KindName, RecordKey, StackRecord } from "../core/records/record.ts";
import { recordKey } from "../core/records/record.ts";
import type { ResourceKind } from "../core/resource-kind.ts";
import type { ArchiveIndex } from "../references/archive-index.ts";
import { foldIds } from "../references/known-ids.ts";
import type { Inventory } from "./inventory.ts";

/**
 * Lists the id mappings of one kind that earlier runs recorded in a journal or a state. Records that were deleted on the target
 * since are left out.
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

/** Removes the mappings whose source or target already decided mappings use: two source records never share a target record. */
export function withoutDecided(mappings: readonly IdMapping[], decided: readonly IdMapping[]): IdMapping[] {
  const from = new Set(decided.map((each) => `${each.space} ${each.from}`));
  const to = new Set(decided.map((each) => `${each.space} ${foldIds(each.to)}`));
  return mappings.filter(
    (each) => !from.has(`${each.space} ${each.from}`) && !to.has(`${each.space} ${foldIds(each.to)}`),
  );
}

/** Turns mappings from the state into matches, for the plan to show. */
export function matchesFromState(mappings: readonly IdMapping[], archive: ArchiveIndex, inventory: Inventory): Match[] {
  return mappings.map(({ space, from, to }) => {
    const there = inventory.kinds.get(space)?.records.find(({ id }) => id === to);
    const name = archive.byKey.get(recordKey(space, from))?.name ?? from;
    return { space, from, to, name, targetName: there?.name ?? to, rule: "state" };
  });
}

/** Removes from a mapping by names the lines that the state decides. */
export function withoutStateMatches(paired: ManualMapping, remembered: readonly IdMapping[]): ManualMapping {
  return Object.fromEntries(
    Object.entries(paired).map(([space, lines]) => {
      const all = Object.entries(lines).flatMap(([from, to]) => (typeof to === "string" ? [{ space, from, to }] : []));
      return [space, Object.fromEntries(withoutDecided(all, remembered).map(({ from, to }) => [from, to]))];
    }),
  );
}

/** Returns the pairs of a record's children from the state, if the record still has the same counterpart. */
export function childrenFromState(
  kind: KindName,
  source: StackRecord,
  target: StackRecord,
  remembered: ReadonlyMap<RecordKey, RecordState>,
): RecordState["children"] {
  const known = remembered.get(recordKey(kind, source.id));
  return known !== undefined && foldIds(known.targetId) === foldIds(target.id) ? known.children : undefined;
}
