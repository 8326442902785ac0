import { groupBy } from "../core/collections.ts";
import type { RecordKey } from "../core/records/record.ts";
import { recordKey, targetKey } from "../core/records/record.ts";
import { dependentsThatStay, targetsOf } from "../import/remove/dependents.ts";
import type { Inventory } from "../matching/inventory.ts";
import type { RollbackItem } from "./item.ts";

/** By record: what points to it and stays. A record that is put back counts as what it will be then. */
export function usersThatStay(
  inventory: Inventory,
  written: readonly RollbackItem[],
): ReadonlyMap<RecordKey, readonly string[]> {
  const deleted = new Set(written.filter(({ action }) => action === "delete").map(targetKey));
  const putBack = new Map(written.flatMap((item) => (item.previous ? [[targetKey(item), item.previous]] : [])));
  return dependentsThatStay(inventory, deleted, ({ kind, id, body }) =>
    targetsOf(kind, putBack.get(recordKey(kind, id)) ?? body),
  );
}

/**
 * By record that is deleted: the records that have to be undone before. These are the put-backs of what points to it, and the
 * deletes of another kind: the server deletes the alerts of a dashboard with it, also one whose own delete was refused.
 */
export function usesToUndoFirst(items: readonly RollbackItem[]): ReadonlyMap<RecordKey, readonly RollbackItem[]> {
  const deleted = new Map(items.filter(({ action }) => action === "delete").map((item) => [targetKey(item), item]));
  const uses = items.flatMap((item) => {
    if (!item.current) return [];
    const targets = [...new Set(targetsOf(item.kind, item.current))].flatMap((target) => deleted.get(target) ?? []);
    return targets
      .filter(({ kind }) => item.action === "update" || kind !== item.kind)
      .map((target) => ({ item, target: targetKey(target) }));
  });
  return new Map(
    [...groupBy(uses, ({ target }) => target)].map(([target, of]) => [target, of.map(({ item }) => item)]),
  );
}
