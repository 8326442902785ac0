import type { RunContext } from "../core/events.ts";
import type { StackClient } from "../core/ports.ts";
import type { KindName, RecordKey } from "../core/record.ts";
import { recordKey } from "../core/record.ts";
import type { ResourceKind } from "../core/resource-kind.ts";
import { kinds } from "../kinds/registry.ts";
import { readInventory } from "../matching/inventory.ts";
import { nameOfRecord, targetKey, targetsOf, usersText } from "./dependents.ts";
import type { RollbackItem } from "./item.ts";

/**
 * Looks again, before records of a kind are deleted, who points to them by now: the server would delete an alert that somebody
 * has just hung on a dashboard. It takes one list of each such kind for the whole group.
 * @param undone what this rollback has deleted or put back already; a list that lags may still show it
 * @returns by item that is in use, who uses it
 */
export async function newDependents(
  group: readonly RollbackItem[],
  undone: readonly RollbackItem[],
  client: StackClient,
  context: RunContext,
): Promise<ReadonlyMap<RecordKey, string>> {
  const deleted = new Map(group.flatMap((item) => (item.action === "delete" ? [[targetKey(item), item]] : [])));
  const [first] = deleted.values();
  const pointing = first === undefined ? [] : kindsPointingTo(first.kind);
  if (pointing.length === 0) return new Map();
  const done = new Set(undone.map(targetKey));
  const { kinds: lists } = await readInventory(client, pointing, context);
  const users = new Map<RecordKey, string[]>();
  for (const record of [...lists.values()].flatMap(({ records }) => records)) {
    if (done.has(recordKey(record.kind, record.id))) continue;
    for (const target of targetsOf(record.kind, record.body)) {
      const item = deleted.get(target);
      if (item) users.set(item.key, [...(users.get(item.key) ?? []), nameOfRecord(record)]);
    }
  }
  return new Map([...users].map(([key, names]) => [key, `${usersText(names)} to it`]));
}

/** The other kinds that can be listed and point to this one. */
function kindsPointingTo(kind: KindName): ResourceKind[] {
  return kinds.filter(
    ({ name, listing, references }) => name !== kind && listing !== "by-id" && references.some(({ to }) => to === kind),
  );
}
