import { groupBy } from "../core/collections.ts";
import type { JsonObject } from "../core/json.ts";
import type { KindName, RecordKey, StackRecord } from "../core/record.ts";
import { recordKey } from "../core/record.ts";
import { findKind } from "../kinds/registry.ts";
import type { Inventory } from "../matching/inventory.ts";
import { findReferences } from "../references/references.ts";
import type { RollbackItem } from "./item.ts";

/** The record of the target that an item is about. */
export function targetKey({ kind, targetId }: RollbackItem): RecordKey {
  return recordKey(kind, targetId);
}

/** What a record of the target points to. */
export function targetsOf(kindName: KindName, body: JsonObject): RecordKey[] {
  const kind = findKind(kindName);
  return kind ? findReferences(kind, body, new Map()).flatMap(({ record }) => record ?? []) : [];
}

/** `the alert "Busy"` */
export function nameOfRecord({ kind, name, id }: Pick<StackRecord, "kind" | "name" | "id">): string {
  return `the ${findKind(kind)?.singular ?? kind} "${name || id}"`;
}

/** Of the records that use one, so many are named. */
const MOST_NAMED = 3;

/** Who uses a record, for a message. @param users by kind and name, at least one */
export function usersText(users: readonly string[]): string {
  const distinct = [...new Set(users)];
  const more = distinct.length - MOST_NAMED;
  const named = distinct.slice(0, MOST_NAMED);
  const parts = more > 0 ? [...named, `${more} more`] : named;
  const last = parts.pop() ?? "";
  return parts.length === 0 ? `${last} stays and points` : `${parts.join(", ")} and ${last} stay and point`;
}

/**
 * By record: what points to it and stays. A dashboard's alerts would be deleted with it by the server. What is kept because it
 * is in use keeps in turn what it points to. A record that is put back counts as what it will be then.
 */
export function dependentsThatStay(
  inventory: Inventory,
  written: readonly RollbackItem[],
): ReadonlyMap<RecordKey, readonly string[]> {
  const deleted = new Set(written.filter(({ action }) => action === "delete").map(targetKey));
  const putBack = new Map(written.flatMap((item) => (item.previous ? [[targetKey(item), item.previous]] : [])));
  const records = [...inventory.kinds.values()].flatMap((known) => known.records);
  const byKey = new Map(records.map((record) => [recordKey(record.kind, record.id), record]));
  const staying = [...byKey].filter(([key]) => !deleted.has(key));
  const dependents = new Map<RecordKey, string[]>();
  for (let next = staying.pop(); next !== undefined; next = staying.pop()) {
    const [key, record] = next;
    for (const target of new Set(targetsOf(record.kind, putBack.get(key) ?? record.body))) {
      const known = dependents.get(target);
      if (known) known.push(nameOfRecord(record));
      else dependents.set(target, [nameOfRecord(record)]);
      const used = byKey.get(target);
      if (known === undefined && used !== undefined && deleted.has(target)) staying.push([target, used]);
    }
  }
  return dependents;
}

/**
 * By record that is deleted: the records that have to be undone before. These are the put-backs of what points to it, and the
 * deletes of another kind: the server deletes the alerts of a dashboard with it, also one whose own delete was refused.
 */
export function usesToUndoFirst(items: readonly RollbackItem[]): ReadonlyMap<RecordKey, readonly RollbackItem[]> {
  const deleted = new Map(items.filter(({ action }) => action === "delete").map((item) => [targetKey(item), item]));
  const uses = items.flatMap((item) => {
    if (item.action === "skip" || !item.current) return [];
    const targets = [...new Set(targetsOf(item.kind, item.current))].flatMap((target) => deleted.get(target) ?? []);
    return targets
      .filter(({ kind }) => item.action === "update" || kind !== item.kind)
      .map((target) => ({ item, target: targetKey(target) }));
  });
  return new Map(
    [...groupBy(uses, ({ target }) => target)].map(([target, of]) => [target, of.map(({ item }) => item)]),
  );
}
