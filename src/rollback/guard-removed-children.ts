import { getOrMake } from "../core/collections.ts";
import type { JsonObject } from "../core/json.ts";
import type { KindName } from "../core/records/record.ts";
import { childIdOf, childrenOf } from "../references/children.ts";
import { foldIds, foldedKey } from "../references/known-ids.ts";
import { findReferences } from "../references/references.ts";
import { knownKind } from "../kinds/registry.ts";
import { nameOfRecord } from "../kinds/nouns.ts";
import { isPutBack, type RollbackItem, type PutBack } from "./item.ts";
import { qualifiedChildId } from "../core/plan/id-map.ts";
import { recordsOf, type Inventory } from "../matching/inventory.ts";

// A `PUT` deletes the alerts on every tile that it leaves out (docs/api.md#dashboards), and on every tile of a type that cannot
// have alerts (docs/api.md#tile-alerts). So put-backs are checked like the updates of an import.

/**
 * Leaves alone an update that would remove a tile while a record that references the tile stays (`in-use`). Any other update waits
 * until the last record has moved away from the tiles that the update removes. The same applies to tiles that lose their alerts in
 * every update, but alerts that are restored after the update do not count.
 * @param inventory the target, with the records that will be restored
 * @param now the target as it is now
 */
export function guardRemovedChildren(
  items: readonly RollbackItem[],
  inventory: Inventory,
  now: Inventory,
): RollbackItem[] {
  const staying = usesThatStay(items, inventory);
  const stayingNow = usesThatStay(items, now);
  const moving = usesOf(items.filter(isPutBack).map(({ key, kind, current }) => [key, kind, current]));
  return items.map((item): RollbackItem => {
    if (!isPutBack(item)) return item;
    const { removed, losing } = childrenAtRisk(item);
    const firstOf = (uses: ReadonlyMap<string, string[]>, children: readonly string[]): string | undefined =>
      children.flatMap((child) => uses.get(child) ?? [])[0];
    const stays = firstOf(staying, removed);
    if (stays !== undefined) {
      const message = `the rollback would remove a part of this record to which ${stays} points, and ${stays} stays; --force removes the part anyway`;
      return { ...item, action: "skip", code: "in-use", message };
    }
    const lost = firstOf(stayingNow, losing);
    if (lost !== undefined) {
      const message = `the rollback would change a part of this record to which ${lost} points, so that the part cannot have alerts, and the server would delete ${lost}; --force allows this`;
      return { ...item, action: "skip", code: "in-use", message };
    }
    return { ...item, usedBy: [...new Set([...removed, ...losing].flatMap((child) => moving.get(child) ?? []))] };
  });
}

/** Finds, for each child, the records that reference this child once the rollback has restored everything. */
function usesThatStay(items: readonly RollbackItem[], inventory: Inventory): Map<string, string[]> {
  const undone = new Map(items.map((item) => [foldedKey(item.kind, item.targetId), item]));
  return usesOf(
    recordsOf(inventory).flatMap((record): Use<string>[] => {
      const { kind, id, body } = record;
      const item = undone.get(foldedKey(kind, id));
      return item?.action === "delete" ? [] : [[nameOfRecord(record), kind, item?.previous ?? body]];
    }),
  );
}

type Use<By> = readonly [by: By, kind: KindName, body: JsonObject];

function usesOf<By>(uses: readonly Use<By>[]): Map<string, By[]> {
  const byChild = new Map<string, By[]>();
  for (const [by, kind, body] of uses) {
    for (const { space, id } of findReferences(knownKind(kind), body, new Map())) {
      if (space.includes("/")) getOrMake(byChild, foldedKey(space, id), () => []).push(by);
    }
  }
  return byChild;
}

/** Lists the children that a put-back removes, and the children that lose their dependents in every update. */
export function childrenAtRisk({ kind, targetId, previous, current }: PutBack): {
  readonly removed: readonly string[];
  readonly losing: readonly string[];
} {
  const removed: string[] = [];
  const losing: string[] = [];
  for (const children of knownKind(kind).children) {
    const keptChildren = new Map(childrenOf(previous, children).map((child) => [foldIds(childIdOf(child)), child]));
    for (const id of childrenOf(current, children).map((child) => foldIds(childIdOf(child)))) {
      const becomes = keptChildren.get(id);
      const child = foldedKey(children.space, qualifiedChildId(targetId, id));
      if (becomes === undefined) removed.push(child);
      else if (children.losesDependents?.(becomes) === true) losing.push(child);
    }
  }
  return { removed, losing };
}
