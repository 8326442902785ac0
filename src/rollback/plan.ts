import { groupBy } from "../core/collections.ts";
import type { JsonObject } from "../core/json.ts";
import type { KindName, RecordKey, StackRecord } from "../core/record.ts";
import { recordKey } from "../core/record.ts";
import type { ResourceKind } from "../core/resource-kind.ts";
import type { JournalState } from "../journal/state.ts";
import { findKind, kinds } from "../kinds/registry.ts";
import type { Inventory } from "../matching/inventory.ts";
import { childDependents } from "../matching/target-index.ts";
import { borrowSecrets, findPlaceholders } from "../redaction/placeholders.ts";
import { foldIds } from "../references/known-ids.ts";
import { recordFingerprint } from "../references/record-content.ts";
import { findReferences } from "../references/references.ts";
import { planBringBack, withLost } from "./bring-back.ts";
import type { RollbackItem } from "./item.ts";
import { guardRemovedChildren } from "./removed-children.ts";

export interface RollbackInput {
  readonly state: JournalState;
  readonly inventory: Inventory;
  /** Undo also what somebody has changed since. */
  readonly force: boolean;
}

/**
 * Plans the undoing of an import, in the order in which it is to be done. Pure. What somebody has changed since, or has come
 * to use, is left alone (`changed-since`, `in-use`) unless forced.
 */
export function planRollback(input: RollbackInput): RollbackItem[] {
  const back = planBringBack(input.state, input.inventory);
  const returning = new Set(back.map(targetKey));
  const undone = [...journaled(input), ...lostCreates(input)];
  const written = undone.filter((item) => item.code !== "gone" || !returning.has(targetKey(item)));
  const inventory = withLost(input.inventory, back);
  const dependents = input.force ? new Map<RecordKey, string>() : dependentsThatStay(inventory, written);
  const items = written.map((item): RollbackItem => {
    const dependent = item.action === "delete" ? dependents.get(targetKey(item)) : undefined;
    if (dependent === undefined) return item;
    return { ...item, action: "skip", code: "in-use", message: `${dependent} stays and points to it` };
  });
  const usedBy = putBacksByTarget(items);
  const freeing = new Set([...usedBy.values()].flat());
  const watching = childDependents(input.inventory);
  const waiting = items.map((item): RollbackItem => {
    if (item.action === "delete") return { ...item, usedBy: usedBy.get(targetKey(item)) ?? [] };
    return item.action === "update" ? { ...item, dependents: watching.get(targetKey(item)) ?? [] } : item;
  });
  const guarded = input.force ? waiting : guardRemovedChildren(waiting, inventory, input.inventory);
  // Last: a put-back of what they point to could take them away once more.
  return [...inOrder(guarded, freeing), ...back];
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

/** By record that is deleted: the records that point to it until they are put back. */
function putBacksByTarget(items: readonly RollbackItem[]): Map<RecordKey, RecordKey[]> {
  const deleted = new Set(items.filter(({ action }) => action === "delete").map(targetKey));
  const uses = items.flatMap(({ action, kind, key, current }) =>
    action === "update" && current ? targetsOf(kind, current).map((target) => ({ key, target })) : [],
  );
  const grouped = groupBy(
    uses.filter(({ target }) => deleted.has(target)),
    ({ target }) => target,
  );
  return new Map([...grouped].map(([target, of]) => [target, of.map(({ key }) => key)]));
}

function targetsOf(kindName: KindName, body: JsonObject): RecordKey[] {
  const kind = findKind(kindName);
  return kind ? findReferences(kind, body, new Map()).flatMap(({ record }) => record ?? []) : [];
}

function targetKey({ kind, targetId }: RollbackItem): RecordKey {
  return recordKey(kind, targetId);
}

function journaled({ state, inventory, force }: RollbackInput): RollbackItem[] {
  const byKind = new Map(
    [...inventory.kinds].map(([kind, { records }]) => [kind, groupBy(records, ({ id }) => foldIds(id))]),
  );
  return [...state.records].flatMap(([key, record]): RollbackItem[] => {
    const [name = ""] = key.split("/");
    const kind = findKind(name);
    if (!kind) return [];
    const [current] = byKind.get(name)?.get(foldIds(record.targetId)) ?? [];
    const item = {
      key,
      kind: name,
      sourceId: key.slice(name.length + 1),
      name: record.name,
      targetId: current?.id ?? record.targetId,
    };
    if (!current) return [{ ...item, action: "skip", code: "gone", message: "is no longer on the target" }];
    const digest = recordFingerprint(kind, current.body);
    if (record.previous && digest === recordFingerprint(kind, borrowSecrets(record.previous, current.body))) {
      return [{ ...item, action: "skip", code: "put-back", message: "is what it was before the import" }];
    }
    if (!force && digest !== record.content) {
      const message = "was changed on the target since the import; --force undoes it all the same";
      return [{ ...item, action: "skip", code: "changed-since", message }];
    }
    if (record.created) return [{ ...item, action: "delete", current: current.body }];
    if (record.previous && findPlaceholders(record.previous).length > 0) {
      const message =
        "held a secret, which the journal does not keep; put it back by hand, or from an archive with --fill";
      return [{ ...item, action: "skip", code: "redacted", message }];
    }
    if (record.previous) return [{ ...item, action: "update", previous: record.previous, current: current.body }];
    return [
      { ...item, action: "skip", code: "no-previous", message: "the journal does not hold what was there before" },
    ];
  });
}

/** Records of creates of which no end is known. They are recognised by their content, unless more records have it than creates. */
function lostCreates({ state, inventory }: RollbackInput): RollbackItem[] {
  const open = state.open.filter(({ write, content }) => write === "create" && content !== undefined);
  const known = new Set([...state.records.values()].map(({ targetId }) => foldIds(targetId)));
  return [...groupBy(open, ({ key, content }) => `${key.split("/")[0]} ${content}`).values()].flatMap((lost) => {
    const [first] = lost;
    const kind = first && findKind(first.key.split("/")[0] ?? "");
    if (!first || !kind) return [];
    const records = inventory.kinds.get(kind.name)?.records ?? [];
    const alike = records.filter(
      ({ id, body }) => !known.has(foldIds(id)) && recordFingerprint(kind, body) === first.content,
    );
    const tooMany = alike.length > lost.length;
    return alike.map((record, index): RollbackItem => lostItem(kind, record, (lost[index] ?? first).key, tooMany));
  });
}

function lostItem(kind: ResourceKind, record: StackRecord, key: RecordKey, tooMany: boolean): RollbackItem {
  const sourceId = key.slice(kind.name.length + 1);
  const item = { key, kind: kind.name, sourceId, name: record.name, targetId: record.id };
  if (!tooMany) return { ...item, action: "delete", current: record.body };
  const message = `may be what the import made, but more ${kind.name} of this content are there; delete the right one by hand`;
  return { ...item, action: "skip", code: "ambiguous", message };
}

/**
 * By record: what points to it and stays. A dashboard's alerts would be deleted with it by the server. What is kept because it
 * is in use keeps in turn what it points to. A record that is put back counts as what it will be then.
 */
function dependentsThatStay(inventory: Inventory, written: readonly RollbackItem[]): Map<RecordKey, string> {
  const deleted = new Set(written.filter(({ action }) => action === "delete").map(targetKey));
  const putBack = new Map(written.flatMap((item) => (item.previous ? [[targetKey(item), item.previous]] : [])));
  const records = [...inventory.kinds.values()].flatMap((known) => known.records);
  const byKey = new Map(records.map((record) => [recordKey(record.kind, record.id), record]));
  const staying = [...byKey].filter(([key]) => !deleted.has(key));
  const dependents = new Map<RecordKey, string>();
  for (let next = staying.pop(); next !== undefined; next = staying.pop()) {
    const [key, { kind, name, id, body }] = next;
    for (const target of targetsOf(kind, putBack.get(key) ?? body)) {
      if (dependents.has(target)) continue;
      dependents.set(target, `the ${findKind(kind)?.singular} "${name || id}"`);
      const used = byKey.get(target);
      if (used !== undefined && deleted.has(target)) staying.push([target, used]);
    }
  }
  return dependents;
}
