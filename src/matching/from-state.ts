import type { IdMapping } from "../core/plan/id-map.ts";
import { childId } from "../core/plan/id-map.ts";
import type { RecordState } from "../core/plan/state.ts";
import type { ManualMapping, Match } from "../core/plan/plan.ts";
import type { KindName, RecordKey, StackRecord } from "../core/records/record.ts";
import { recordKey } from "../core/records/record.ts";
import type { ResourceKind } from "../core/resource-kind.ts";
import type { ArchiveIndex } from "../references/archive-index.ts";
import { childIdOf, childrenOf } from "../references/children.ts";
import { foldIds } from "../references/known-ids.ts";
import type { Inventory } from "./inventory.ts";

/**
 * Lists the id mappings of one kind that earlier runs recorded in a journal or a state. Records that were deleted on the target
 * since are left out.
 */
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

/** Removes the matches by name for records that the state has matched. */
export function withoutStateMatches(paired: ManualMapping, stateMappings: readonly IdMapping[]): ManualMapping {
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
export function childrenFromState(
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

/** Adds the children of a record of the target's own stack, which keep their ids, unless the state gives them others. */
export function withSameIds(
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
 * Removes the mappings of children that the state maps otherwise: if the counterpart of a child is gone, a merge must not take
 * another one for it that is only alike.
 */
export function withoutGuesses(
  mappings: readonly IdMapping[],
  ownerId: string,
  fromState: RecordState["children"] = {},
): IdMapping[] {
  const expected = new Map<string, string>();
  const taken = new Set<string>();
  for (const [space, ids] of Object.entries(fromState)) {
    for (const [id, target] of Object.entries(ids)) {
      expected.set(`${space} ${childId(ownerId, id)}`, foldIds(target));
      taken.add(`${space} ${foldIds(target)}`);
    }
  }
  return mappings.filter(({ space, from, to }) => {
    const known = expected.get(`${space} ${from}`);
    return known === undefined ? !taken.has(`${space} ${foldIds(to)}`) : known === foldIds(to);
  });
}
