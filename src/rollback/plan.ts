import { partition } from "../core/collections.ts";
import type { IdMap } from "../core/importing/id-map.ts";
import type { RecordKey } from "../core/records/record.ts";
import { recordKey, targetKey } from "../core/records/record.ts";
import { usersText } from "../import/remove/dependents.ts";
import { calledInstead } from "../kinds/called.ts";
import { inDependencyOrder } from "../kinds/dependency-order.ts";
import { kinds } from "../kinds/registry.ts";
import type { Inventory } from "../matching/inventory.ts";
import { childDependents } from "../matching/target-index.ts";
import { idsBroughtBack, planBringBack, withLost } from "./bring-back.ts";
import { usersThatStay, usesToUndoFirst } from "./dependents.ts";
import { guardHidden } from "./hidden-loss.ts";
import type { RollbackItem } from "./item.ts";
import { judgeChildren } from "./judge-children.ts";
import { judgeForms, withoutLostLinks } from "./judge-items.ts";
import { planMissingLinks } from "./missing-links.ts";
import { mentionsOfItems } from "./new-ids.ts";
import { guardRemovedChildren } from "./removed-children.ts";
import { linksTo } from "./undo-item.ts";
import type { RollbackInput } from "./written-records.ts";
import { journaledRecords, lostCreates } from "./written-records.ts";

/** What is undone, in order, and which ids have become others already: an earlier run of the rollback has made some records again. */
export interface PlannedRollback {
  readonly items: readonly RollbackItem[];
  readonly ids: IdMap;
}

/**
 * Plans the undoing of runs of an import, in the order in which it is to be done. Pure. What somebody has changed since, or has
 * come to use, is left alone (`changed-since`, `in-use`) unless forced. What a later run wrote is left alone in any case.
 */
export function planRollback(input: RollbackInput): PlannedRollback {
  const ids = idsBroughtBack(input.state, input.inventory);
  const undone = judgeForms(guardHidden([...journaledRecords(input, ids), ...lostCreates(input)], input), input);
  const deleted = new Set(undone.filter(({ action }) => action === "delete").map(targetKey));
  const { items: lost, inPlace } = planBringBack(input, deleted, ids);
  const linked = withoutLostLinks([...undone, ...lost], input, ids);
  const { items: judged, late: unfit } = judgeChildren(linked, input, ids);
  const [before, back] = [judged.slice(0, undone.length), judged.slice(undone.length)];
  const returning = new Set(back.map(targetKey));
  const kept = before.map((item) => (item.action === "delete" && inPlace.has(targetKey(item)) ? keep(item) : item));
  const written = kept.filter((item) => item.code !== "gone" || !returning.has(targetKey(item)));
  const inventory = withLost(input.inventory, back);
  const dependents = input.force ? new Map<RecordKey, string[]>() : usersThatStay(inventory, written);
  const items = written.map((item): RollbackItem => {
    const users = item.action === "delete" ? dependents.get(targetKey(item)) : undefined;
    if (users === undefined) return item;
    return { ...item, action: "skip", code: "in-use", message: `${usersText(users)} to it` };
  });
  const first = usesToUndoFirst(items);
  const freeing = new Set([...first.values()].flat().map(({ key }) => key));
  const watching = childDependents(input.inventory);
  const waiting = items.map((item): RollbackItem => {
    if (item.action === "delete") return { ...item, usedBy: (first.get(targetKey(item)) ?? []).map(({ key }) => key) };
    return item.action === "update" ? { ...item, dependents: watching.get(targetKey(item)) ?? [] } : item;
  });
  const guarded = input.force ? waiting : guardRemovedChildren(waiting, inventory, input.inventory);
  const created = back.filter(({ action }) => action === "create");
  const again = new Set(created.map(targetKey));
  const mentions = mentionsOfItems(created);
  const isLate = (item: RollbackItem): boolean =>
    item.action === "update" && (linksTo(item, again, mentions) || unfit.has(item.key));
  const [late, soon] = partition(guarded, isLate);
  // Last: a put-back of what they point to could take them away once more.
  const last = [...back, ...late, ...planMissingLinks(input, created, ids)].toSorted(
    (one, other) => dependencyOrder(one) - dependencyOrder(other),
  );
  return { items: callUnnamed([...inOrder(soon, freeing), ...last], inventory), ids };
}

const BY_DEPENDENCE = inDependencyOrder(kinds).map(({ name }) => name);

/** What others point to first, and of a kind what is made again before what links to it. */
function dependencyOrder({ kind, action }: RollbackItem): number {
  return BY_DEPENDENCE.indexOf(kind) + (action === "update" ? 0.5 : 0);
}

/** Gives items without a name what people call them, by what they point to. @param inventory what the target has, and had */
function callUnnamed(items: readonly RollbackItem[], inventory: Inventory): readonly RollbackItem[] {
  const lists = [...inventory.kinds.values()].flatMap(({ records }) => records);
  const byKey = new Map(lists.map((record) => [recordKey(record.kind, record.id), record]));
  return items.map((item) => {
    const { kind, name, targetId: id, current: body = item.previous } = item;
    if (body === undefined) return item;
    return { ...item, ...calledInstead({ kind, id, name, body }, (of, its) => byKey.get(recordKey(of, its))) };
  });
}

/** What the server took away, and the import made again: to delete it would lose what was there before the import. */
function keep(item: RollbackItem): RollbackItem {
  const message = "is the record that the server deleted during the import, created again";
  return { ...item, action: "skip", code: "put-back", message };
}

/**
 * What points to others goes first: the server deletes the alerts of a dashboard that is deleted, or of a tile that is taken
 * out. Within a kind, put-backs that free a record of its last use come before deletes.
 */
function inOrder(items: readonly RollbackItem[], freeing: ReadonlySet<RecordKey>): RollbackItem[] {
  const position = (item: RollbackItem): number => kinds.findIndex((kind) => kind.name === item.kind);
  const step = ({ key, action }: RollbackItem): number => {
    if (action === "update") return freeing.has(key) ? 0 : 2;
    return action === "delete" ? 1 : 3;
  };
  return items.toSorted((a, b) => position(b) - position(a) || step(a) - step(b));
}
