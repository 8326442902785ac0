import { recordKey } from "../core/records/record.ts";
import { calledOf } from "../kinds/called.ts";
import type { Inventory } from "../matching/inventory.ts";
import type { RollbackItem } from "./item.ts";

/** Gives items without a name what people call them, by what they point to. @param inventory what the target has, and had */
export function callUnnamed(items: readonly RollbackItem[], inventory: Inventory): readonly RollbackItem[] {
  if (items.every(({ name }) => name.trim() !== "")) return items;
  const lists = [...inventory.kinds.values()].flatMap(({ records }) => records);
  const byKey = new Map(lists.map((record) => [recordKey(record.kind, record.id), record]));
  return items.map((item) => {
    const { kind, name, targetId: id, current, previous } = item;
    const body = current ?? previous;
    if (name.trim() !== "" || body === undefined) return item;
    const called = calledOf({ kind, id, name, body }, (of, its) => byKey.get(recordKey(of, its)));
    return called === "" ? item : { ...item, called };
  });
}
