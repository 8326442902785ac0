import { getOrMake } from "../core/collections.ts";
import { yieldToEventLoop } from "../core/event-loop.ts";
import { childId } from "../core/plan/id-map.ts";
import { visitValues } from "../core/records/member-path.ts";
import type { RecordKey, StackRecord } from "../core/records/record.ts";
import type { IdSpace } from "../core/resource-kind.ts";
import { kinds } from "../kinds/registry.ts";
import { childIdOf, childrenOf } from "../references/children.ts";
import { foldedKey } from "../references/known-ids.ts";
import { findReferences } from "../references/references.ts";
import type { Inventory } from "./inventory.ts";

/** The ids that exist on the target, and the records that reference children. */
export interface TargetIndex {
  /** @param id in the form of `IdMap`: `owner/child` for a child */
  has(space: IdSpace, id: string): boolean;
  /** Returns the records that reference a child, such as the alerts on a tile. @param id `owner/child` */
  dependentsOf(space: IdSpace, id: string): readonly StackRecord[];
}

/** Lists, for each record, the records that reference one of its children: an update of the record can delete these dependents. */
export function childDependents(inventory: Inventory): Map<RecordKey, readonly StackRecord[]> {
  const dependents = new Map<RecordKey, Set<StackRecord>>();
  for (const kind of kinds.filter(({ references }) => references.some(({ within }) => within !== undefined))) {
    for (const record of inventory.kinds.get(kind.name)?.records ?? []) {
      for (const { space, record: owner } of findReferences(kind, record.body, new Map())) {
        if (space.includes("/") && owner !== undefined) getOrMake(dependents, owner, () => new Set()).add(record);
      }
    }
  }
  return new Map([...dependents].map(([owner, records]) => [owner, [...records]]));
}

export async function indexTarget(inventory: Inventory, signal?: AbortSignal): Promise<TargetIndex> {
  const present = new Set<string>();
  const add = (space: IdSpace, id: string): void => void present.add(foldedKey(space, id));
  const dependents = new Map<string, StackRecord[]>();
  for (const kind of kinds) {
    for (const record of inventory.kinds.get(kind.name)?.records ?? []) {
      const { id, body } = record;
      add(kind.name, id);
      for (const children of kind.children) {
        for (const child of childrenOf(body, children)) add(children.space, childId(id, childIdOf(child)));
      }
      for (const { path, space } of kind.idsLearnedFrom) {
        visitValues(body, path, (value) => {
          if (typeof value === "string") add(space, value);
        });
      }
      for (const { space, id: used } of findReferences(kind, body, new Map())) {
        // Only references to children are indexed: every tile may use the same source, and nobody asks for the dependents of a
        // source.
        if (!space.includes("/")) continue;
        getOrMake(dependents, `${space} ${used}`, () => []).push(record);
      }
      await yieldToEventLoop(signal);
    }
  }
  return {
    has: (space, id) => present.has(foldedKey(space, id)),
    dependentsOf: (space, id) => dependents.get(`${space} ${id}`) ?? [],
  };
}
