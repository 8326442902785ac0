import type { IdMap } from "../core/importing/id-map.ts";
import type { RecordKey } from "../core/records/record.ts";
import { recordKey } from "../core/records/record.ts";
import { knownKind } from "../kinds/registry.ts";
import { foldIds } from "../references/known-ids.ts";
import type { RollbackItem } from "./item.ts";
import { isPutBack, leftAlone, withNotes } from "./item.ts";
import { judgeForm, withoutDeadLinks } from "./judge-form.ts";
import type { RollbackInput } from "./written-records.ts";

/** Judges put-backs by the rules of the API: what no write takes is left alone, the rest is said. */
export function judgeForms(
  items: readonly RollbackItem[],
  { inventory, adapt = false, now = Number.NaN }: RollbackInput,
): RollbackItem[] {
  return items.map((item): RollbackItem => {
    if (!isPutBack(item)) return item;
    const form = judgeForm(knownKind(item.kind), item.previous, item.current, { inventory, adapt, now });
    if ("refusal" in form) return leftAlone(item, form.refusal);
    return withNotes({ ...item, previous: form.body }, form.notes);
  });
}

/** The items without links to what is not on the target and does not come back. */
export function withoutLostLinks(
  items: readonly RollbackItem[],
  { inventory: { kinds: lists } }: RollbackInput,
  ids: IdMap,
): RollbackItem[] {
  const there = [...lists.values()].flatMap(({ records }) =>
    records.map(({ kind, id }) => recordKey(kind, foldIds(id))),
  );
  const back = items.filter(({ action }) => action === "create");
  const present = new Set([...there, ...back.map(({ kind, targetId }) => recordKey(kind, foldIds(targetId)))]);
  const isThere = (key: RecordKey): boolean => {
    const [kind, id] = [key.slice(0, key.indexOf("/")), key.slice(key.indexOf("/") + 1)];
    if (lists.get(kind)?.status !== "complete") return true;
    return ids.get(kind, id) !== undefined || present.has(recordKey(kind, foldIds(id)));
  };
  return items.map((item): RollbackItem => {
    if (item.previous === undefined || (item.action !== "update" && item.action !== "create")) return item;
    const { body, notes } = withoutDeadLinks(knownKind(item.kind), item.previous, isThere);
    return withNotes({ ...item, previous: body }, notes);
  });
}
