import { getOrMake } from "../core/collections.ts";
import { yieldToEventLoop } from "../core/event-loop.ts";
import { qualifiedChildId } from "../core/plan/id-map.ts";
import { visitValues } from "../core/records/member-path.ts";
import type { RecordKey, StackRecord } from "../core/records/record.ts";
import type { IdSpace } from "../core/resource-kind.ts";
import { kinds } from "../kinds/registry.ts";
import { childIdOf, childrenOf } from "../references/children.ts";
import { foldedKey, foldIds } from "../references/known-ids.ts";
import { findReferences } from "../references/references.ts";
import type { Inventory } from "./inventory.ts";

export interface TargetIndex {
  /** @param id `owner/child` for a child */
  readonly has: (space: IdSpace, id: string) => boolean;
  /** False if the target's list is not complete. */
  readonly lacks: (space: IdSpace, id: string) => boolean;
  readonly dependentsOf: (space: IdSpace, id: string) => readonly StackRecord[];
  /** An update of the owner can delete these records. */
  readonly dependentsOn: (owner: RecordKey) => readonly StackRecord[];
}

export async function indexTarget(inventory: Inventory, signal?: AbortSignal): Promise<TargetIndex> {
  const present = new Set<string>();
  const add = (space: IdSpace, id: string): void => void present.add(foldedKey(space, id));
  for (const kind of kinds) {
    for (const { id, body } of inventory.kinds.get(kind.name)?.records ?? []) {
      add(kind.name, id);
      for (const children of kind.children) {
        for (const child of childrenOf(body, children)) add(children.space, qualifiedChildId(id, childIdOf(child)));
      }
      for (const { path, space } of kind.idsLearnedFrom) {
        visitValues(body, path, (value) => {
          if (typeof value === "string") add(space, value);
        });
      }
      await yieldToEventLoop(signal);
    }
  }
  const byChild = new Map<string, StackRecord[]>();
  const byOwner = new Map<string, Set<StackRecord>>();
  for (const kind of kinds.filter(({ references }) => references.some(({ within }) => within !== undefined))) {
    for (const record of inventory.kinds.get(kind.name)?.records ?? []) {
      for (const { space, id, record: owner } of findReferences(kind, record.body)) {
        if (!space.includes("/")) continue;
        getOrMake(byChild, foldedKey(space, id), () => []).push(record);
        if (owner !== undefined) getOrMake(byOwner, foldIds(owner), () => new Set()).add(record);
      }
    }
  }
  const has = (space: IdSpace, id: string): boolean => present.has(foldedKey(space, id));
  const isComplete = (space: IdSpace): boolean =>
    inventory.kinds.get(space.split("/")[0] ?? space)?.status === "complete";
  return {
    has,
    lacks: (space, id) => isComplete(space) && !has(space, id),
    dependentsOf: (space, id) => byChild.get(foldedKey(space, id)) ?? [],
    dependentsOn: (owner) => [...(byOwner.get(foldIds(owner)) ?? [])],
  };
}
