import { getOrMake, partition } from "../core/collections.ts";
import type { IdMap } from "../core/plan/id-map.ts";
import { recordKey, splitKey, targetKey, type RecordKey } from "../core/records/record.ts";
import { usersText, dependentsThatStay, referencedKeys, warnOfLinksToRemoved } from "../import/remove/dependents.ts";
import { kinds, knownKind } from "../kinds/registry.ts";
import { displayNameMember } from "../kinds/display-names.ts";
import { indexChildDependents } from "../matching/target-index.ts";
import { mapRestoredIds, planRestores, withRestoredRecords, planMissingLinks } from "./restore-deleted.ts";
import { checkRestoredBody, withoutDeadLinks } from "./check-restored-body.ts";
import { leaveAloneWithoutChild } from "./check-children.ts";
import { withCascadeDeletes } from "./cascade-deletes.ts";
import { guardRemovedChildren } from "./guard-removed-children.ts";
import { nameHiddenSettings } from "./hidden-settings.ts";
import { linksToUncreated, mentionableIdsOfItems } from "./new-ids.ts";
import { isPutBack, isRestored, skipItem, withNotes, type RollbackItem } from "./item.ts";
import { itemsOfKnownWrites, itemsOfLostCreates, type RollbackInput } from "./undo-record.ts";
import { findHiddenContentLoss, hiddenRefusal } from "../import/plan/update-losses.ts";
import { foldedKey } from "../references/known-ids.ts";
import { StackferryError } from "../core/errors.ts";
import { pluralize } from "../core/text/format.ts";
import type { Warning } from "../core/outcome.ts";
import type { JournalReplay } from "../journal/replay.ts";
import { recordFinder, recordsOf, type Inventory } from "../matching/inventory.ts";

/** The items to undo, in order, and the new ids of records that an earlier rollback run has created again. */
export interface PlannedRollback {
  readonly items: readonly RollbackItem[];
  readonly ids: IdMap;
}

/**
 * Plans how to undo runs of an import. The items are in the order of execution. Sends no request. Records that somebody has changed
 * or begun to use are left alone (`changed-since`, `in-use`) unless forced. Records that a later run wrote are always left alone.
 */
export function planRollback(input: RollbackInput): PlannedRollback {
  const ids = mapRestoredIds(input.state, input.inventory);
  const undone = checkRestoredBodies(
    guardHidden([...itemsOfKnownWrites(input, ids), ...itemsOfLostCreates(input)], input),
    input,
  );
  const deleted = new Set(undone.filter(({ action }) => action === "delete").map(targetKey));
  const { items: lost, inPlace } = planRestores(input, deleted, ids);
  const linked = withoutLostLinks([...undone, ...lost], input, ids);
  const { items: judged, late: unfit } = leaveAloneWithoutChild(linked, input, ids);
  const [before, back] = [judged.slice(0, undone.length), judged.slice(undone.length)];
  const returning = new Set(back.map(targetKey));
  const written = before
    .map((item) => (item.action === "delete" && inPlace.has(targetKey(item)) ? keepItem(item) : item))
    .filter((item) => item.code !== "gone" || !returning.has(targetKey(item)));
  const inventory = withRestoredRecords(input.inventory, back);
  const items = input.force ? written : leaveUsed(written, inventory);
  const first = usesToUndoFirst(items);
  const freeing = new Set([...first.values()].flat().map(({ key }) => key));
  const waiting = withUsers(items, first, input.inventory);
  const guarded = input.force ? waiting : guardRemovedChildren(waiting, inventory, input.inventory);
  const created = back.filter(({ action }) => action === "create");
  const again = new Set(created.map(targetKey));
  const mentions = mentionableIdsOfItems(created);
  const isLate = (item: RollbackItem): boolean =>
    item.action === "update" && (linksToUncreated(item, again, mentions) || unfit.has(item.key));
  const [late, soon] = partition(guarded, isLate);
  // Restored records, and updates that link to them, come last. Otherwise the update of a dashboard, for example, could make the
  // server delete a restored alert again.
  const last = [...back, ...late, ...planMissingLinks(input, created, ids)].toSorted(
    (left, right) => dependencyOrder(left) - dependencyOrder(right),
  );
  const ordered = withCascadeDeletes([...inOrder(soon, freeing), ...last], input.inventory);
  return { items: nameHiddenSettings(withDisplayNames(ordered, inventory), input), ids };
}

/** Leaves alone the created records that are referenced by records which stay. */
function leaveUsed(items: readonly RollbackItem[], inventory: Inventory): RollbackItem[] {
  const deleted = new Set(items.filter(({ action }) => action === "delete").map(targetKey));
  const putBack = new Map(items.flatMap((item) => (item.previous ? [[targetKey(item), item.previous]] : [])));
  // For a record that is put back, the restored content counts.
  const dependents = dependentsThatStay(inventory, deleted, ({ kind, id, body }) =>
    referencedKeys(kind, putBack.get(recordKey(kind, id)) ?? body),
  );
  return items.map((item): RollbackItem => {
    const users = item.action === "delete" ? dependents.get(targetKey(item)) : undefined;
    if (users === undefined) return item;
    const message = `${usersText(users)} to it; with --force, its creation is undone all the same`;
    return { ...item, action: "skip", code: "in-use", message };
  });
}

/**
 * Adds to each delete the keys of the items that must be undone first. Adds to each update the records that reference children of
 * the updated record.
 */
function withUsers(
  items: readonly RollbackItem[],
  first: ReturnType<typeof usesToUndoFirst>,
  inventory: Inventory,
): RollbackItem[] {
  const { dependentsOn } = indexChildDependents(inventory);
  return items.map((item): RollbackItem => {
    if (item.action === "delete") return { ...item, usedBy: (first.get(targetKey(item)) ?? []).map(({ key }) => key) };
    return item.action === "update" ? { ...item, dependents: dependentsOn(targetKey(item)) } : item;
  });
}

const BY_DEPENDENCE = kinds.map(({ name }) => name);

/** Referenced kinds come first. Within a kind, creates come before the updates that link to the created records. */
function dependencyOrder({ kind, action }: RollbackItem): number {
  return BY_DEPENDENCE.indexOf(kind) + (action === "update" ? 0.5 : 0);
}

/** Gives items without a name a display name. @param inventory the target's present and former records */
function withDisplayNames(items: readonly RollbackItem[], inventory: Inventory): readonly RollbackItem[] {
  return items.map((item) => {
    const { kind, name, targetId: id, current: body = item.previous } = item;
    return body === undefined
      ? item
      : { ...item, ...displayNameMember({ kind, id, name, body }, recordFinder(inventory)) };
  });
}

/** Leaves alone a record that existed before the import: the server deleted it, and the import created it again. */
function keepItem(item: RollbackItem): RollbackItem {
  const message = "is the record that the server deleted during the import and that was created again";
  return { ...item, action: "skip", code: "put-back", message };
}

/**
 * Orders the items. Referencing records come first, because the server deletes alerts together with their dashboard or tile. Within
 * a kind, an update that removes a reference to a record comes before the delete of that record.
 */
function inOrder(items: readonly RollbackItem[], freeing: ReadonlySet<RecordKey>): RollbackItem[] {
  const position = (item: RollbackItem): number => kinds.findIndex((kind) => kind.name === item.kind);
  const step = ({ key, action }: RollbackItem): number => {
    if (action === "update") return freeing.has(key) ? 0 : 2;
    return action === "delete" ? 1 : 3;
  };
  return items.toSorted((a, b) => position(b) - position(a) || step(a) - step(b));
}

/** Leaves alone records with hidden tiles, because a put-back or delete would destroy these tiles (docs/api.md#hidden-tiles). */
function guardHidden(
  items: readonly RollbackItem[],
  { inventory, acceptHiddenLoss }: Pick<RollbackInput, "inventory" | "acceptHiddenLoss">,
): RollbackItem[] {
  const loss = findHiddenContentLoss(inventory, acceptHiddenLoss);
  return items.map((item): RollbackItem => {
    if (item.action !== "update" && item.action !== "delete") return item;
    const refusal = hiddenRefusal(targetKey(item), loss);
    return refusal === undefined ? item : skipItem(item, refusal);
  });
}

/**
 * Finds, for each record to delete, the items that must be undone first: updates after which a record no longer references the
 * deleted record, and deletes of referencing records of other kinds. A dashboard waits for its alerts, because the server deletes
 * alerts together with their dashboard, even an alert whose own delete was refused.
 */
function usesToUndoFirst(items: readonly RollbackItem[]): ReadonlyMap<RecordKey, readonly RollbackItem[]> {
  const deleted = new Set(items.filter(({ action }) => action === "delete").map(targetKey));
  const uses = new Map<RecordKey, RollbackItem[]>();
  for (const item of items) {
    for (const key of new Set(item.current && referencedKeys(item.kind, item.current))) {
      const mustWait = deleted.has(key) && (item.action === "update" || splitKey(key)[0] !== item.kind);
      if (mustWait) getOrMake(uses, key, () => []).push(item);
    }
  }
  return uses;
}

/** Checks put-backs against the rules of the API. A record whose former content no write accepts is left alone. */
function checkRestoredBodies(items: readonly RollbackItem[], input: RollbackInput): RollbackItem[] {
  return items.map((item): RollbackItem => {
    if (!isPutBack(item)) return item;
    const checked = checkRestoredBody(knownKind(item.kind), item.previous, item.current, input);
    if ("refusal" in checked) return skipItem(item, checked.refusal);
    return withNotes({ ...item, previous: checked.body }, checked.notes);
  });
}

/** Removes from the items links to records that are not on the target and are not restored. */
function withoutLostLinks(items: readonly RollbackItem[], { inventory }: RollbackInput, ids: IdMap): RollbackItem[] {
  const targetKeys = recordsOf(inventory).map(({ kind, id }) => foldedKey(kind, id));
  const back = items.filter(({ action }) => action === "create");
  const present = new Set([...targetKeys, ...back.map(({ kind, targetId }) => foldedKey(kind, targetId))]);
  const isThere = (key: RecordKey): boolean => {
    const [kind, id] = splitKey(key);
    if (inventory.kinds.get(kind)?.status !== "complete") return true;
    return ids.get(kind, id) !== undefined || present.has(foldedKey(kind, id));
  };
  return items.map((item): RollbackItem => {
    if (!isRestored(item)) return item;
    const { body, notes } = withoutDeadLinks(knownKind(item.kind), item.previous, isThere);
    return withNotes({ ...item, previous: body }, notes);
  });
}

/** The runs of a journal to undo: the last run, the run with this number, or all runs. */
export type RunChoice = "last" | "all" | number;

/** Returns the numbers of the chosen runs. @throws StackferryError `usage` if there is no such run */
export function selectRuns({ runs }: Pick<JournalReplay, "runs">, choice: RunChoice): number[] {
  const numbers = runs.map(({ number }) => number);
  if (choice === "all") return numbers;
  if (choice === "last") return numbers.slice(-1);
  if (numbers.includes(choice)) return [choice];
  const message = `there is no run ${choice}: the journal has ${pluralize(numbers.length, "run")}`;
  throw new StackferryError("usage", message, { hint: "The runs are numbered from 1; --list shows them." });
}

/** Warns of the target's records that link to a record which the rollback deletes, or creates again under another id. */
export function warnOfLostLinks(items: readonly RollbackItem[], inventory: Inventory): Warning[] {
  const written = items.filter(({ action }) => action === "delete" || action === "update");
  const going = items.flatMap(({ kind, targetId: id, name, action }) =>
    action === "delete" || action === "create" ? [{ kind, id, name, again: action === "create" }] : [],
  );
  return warnOfLinksToRemoved(inventory, going, new Set(written.map(targetKey)));
}

/** Warns that other runs wrote the same records: undoing one run alone does not restore the state before all of them. */
export function warnOfOverlappingRuns({ writes }: Pick<JournalReplay, "writes">, chosen: readonly number[]): Warning[] {
  const others = new Map<number, { earlier: number; later: number }>();
  for (const of of writes.values()) {
    const first = of.findIndex(({ run }) => chosen.includes(run));
    if (first < 0) continue;
    for (const [index, { run }] of of.entries()) {
      if (chosen.includes(run)) continue;
      getOrMake(others, run, () => ({ earlier: 0, later: 0 }))[index < first ? "earlier" : "later"] += 1;
    }
  }
  return [...others]
    .toSorted(([a], [b]) => a - b)
    .flatMap(([run, { earlier, later }]) => [
      ...(earlier > 0 ? [{ code: "earlier-run", message: earlierText(run, earlier) }] : []),
      ...(later > 0 ? [{ code: "later-run", message: laterText(run, later) }] : []),
    ]);
}

function earlierText(run: number, count: number): string {
  return `run ${run} wrote ${count} of these records earlier: the rollback restores what that run wrote, not what was there before it (--run all undoes both)`;
}

function laterText(run: number, count: number): string {
  const are = count === 1 ? "is" : "are";
  return `run ${run}, which is not undone, later wrote ${count} of these records, which ${are} left alone (--run all undoes both)`;
}
