import { qualifiedChildId, type IdMapping } from "../core/plan/id-map.ts";
import type { JsonObject } from "../core/json.ts";
import type { RecordState, RecordCounterparts } from "../core/plan/state.ts";
import { recordKey, type RecordKey, type StackRecord, type KindName } from "../core/records/record.ts";
import type { ResourceKind } from "../core/resource-kind.ts";
import type { ArchiveIndex } from "../references/archive-index.ts";
import { childIdOf, childrenOf } from "../references/children.ts";
import type { Inventory } from "./inventory.ts";
import type { ManualMapping } from "../core/plan/plan.ts";
import { foldedKey, foldIds } from "../references/known-ids.ts";

/** Lists the mappings of a kind from a journal or a state, without records that were since deleted on the target. */
export function mappingsFromEarlierRuns(
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
export function withoutMappedIds(mappings: readonly IdMapping[], decided: readonly IdMapping[]): IdMapping[] {
  const from = new Set(decided.map((mapping) => `${mapping.space} ${mapping.from}`));
  const to = new Set(decided.map((mapping) => foldedKey(mapping.space, mapping.to)));
  return mappings.filter(
    (mapping) => !from.has(`${mapping.space} ${mapping.from}`) && !to.has(foldedKey(mapping.space, mapping.to)),
  );
}

/** Removes a pair that follows from file names if the map file, the journal or the state already matches one of its two records. */
export function withoutMatchedPairs(paired: ManualMapping, stateMappings: readonly IdMapping[]): ManualMapping {
  return Object.fromEntries(
    Object.entries(paired).map(([space, lines]) => {
      const mappings = Object.entries(lines).flatMap(([from, to]) =>
        typeof to === "string" ? [{ space, from, to }] : [],
      );
      return [space, Object.fromEntries(withoutMappedIds(mappings, stateMappings).map(({ from, to }) => [from, to]))];
    }),
  );
}

/** Returns the pairs of a record's children from the first state in which the record has the same counterpart. */
export function childrenFromStates(
  kind: KindName,
  source: StackRecord,
  target: StackRecord,
  states: readonly ReadonlyMap<RecordKey, RecordCounterparts>[],
): RecordState["children"] {
  const ofRecord = states.flatMap((state) => state.get(recordKey(kind, source.id)) ?? []);
  return ofRecord.find(({ targetId }) => foldIds(targetId) === foldIds(target.id))?.children;
}

/**
 * Returns the pairs of a record's children. A child that the state does not pair is paired with its own id, because the record
 * comes from the target itself.
 */
export function withChildrenOfSameId(
  kind: ResourceKind,
  { body }: StackRecord,
  fromState: RecordState["children"] = {},
): RecordState["children"] {
  return Object.fromEntries(
    kind.children.map((children) => {
      const pairs = fromState[children.space] ?? {};
      const taken = new Set(Object.values(pairs).map(foldIds));
      const ids = childrenOf(body, children)
        .map(childIdOf)
        .filter((id) => id !== "" && !taken.has(foldIds(id)));
      return [children.space, { ...Object.fromEntries(ids.map((id) => [id, id])), ...pairs }];
    }),
  );
}

/**
 * Removes the mappings of children that contradict the state. Also removes the mapping of a child that the state does not contain,
 * if the child has another name on the target: a merge must not confuse two children that are only similar.
 */
export function withoutGuessedChildren(
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
      expected.set(`${space} ${qualifiedChildId(source.id, id)}`, foldIds(targetId));
      taken.add(foldedKey(space, targetId));
    }
  }
  const sourceNames = childNames(kind, source.body, (id) => qualifiedChildId(source.id, id));
  const targetNames = childNames(kind, target, foldIds);
  return mappings.filter(({ space, from, to }) => {
    const [fromKey, toKey] = [`${space} ${from}`, foldedKey(space, to)];
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
