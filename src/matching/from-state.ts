import { qualifiedChildId, type IdMapping } from "../core/plan/id-map.ts";
import type { JsonObject } from "../core/json.ts";
import type { RecordState, RecordCounterparts } from "../core/plan/state.ts";
import { keyOfRecord, recordKey, type RecordKey, type StackRecord, type KindName } from "../core/records/record.ts";
import type { ResourceKind } from "../core/resource-kind.ts";
import { childIdOf, childrenOf } from "../references/children.ts";
import type { JournaledRecord } from "../journal/replay.ts";
import type { FindTargetId } from "./match-records.ts";
import type { PlanOptions } from "./plan-options.ts";
import { foldedKey, foldIds } from "../references/known-ids.ts";

/** What earlier runs know of the archive's records. */
export interface EarlierRuns {
  /** The results of earlier runs of this import. */
  readonly journaled: ReadonlyMap<RecordKey, JournaledRecord>;
  /** The results of earlier imports, including imports of other archives of the same stack. */
  readonly recordStates: ReadonlyMap<RecordKey, RecordState>;
  /**
   * The pairs of imports from the target to the archive's stack. The pairs tell which records correspond, but not which side has
   * changed.
   */
  readonly reversePairs: ReadonlyMap<RecordKey, RecordCounterparts>;
}

/**
 * Makes functions that return the target's id of a record as earlier runs remember it, the strongest memory first: runs of this
 * import, other imports, imports in the other direction. The target's record may be gone.
 */
export function rememberedIds(
  { journaled, recordStates, reversePairs }: EarlierRuns,
  { naming }: Pick<PlanOptions, "naming">,
): FindTargetId[] {
  // If the import has a name prefix, nothing tells whether a record without a name (an alert) that no import wrote is a copy or the
  // original, and the import must not move the original to a copied dashboard.
  const mayBeOriginal = ({ name }: StackRecord, { written }: RecordState): boolean =>
    naming.namePrefix !== undefined && !written && name === "";
  return [
    (record) => journaled.get(keyOfRecord(record))?.targetId,
    (record) => {
      const recordState = recordStates.get(keyOfRecord(record));
      return recordState && !mayBeOriginal(record, recordState) ? recordState.targetId : undefined;
    },
    (record) => reversePairs.get(keyOfRecord(record))?.targetId,
  ];
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
