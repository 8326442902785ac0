import { getOrMake } from "../../core/collections.ts";
import type { RunContext } from "../../core/events.ts";
import type { StackClient } from "../../core/ports.ts";
import type { KindName, RecordKey } from "../../core/records/record.ts";
import { recordKey } from "../../core/records/record.ts";
import type { ResourceKind } from "../../core/resource-kind.ts";
import { nameOfRecord } from "../../kinds/id-spaces.ts";
import { kinds } from "../../kinds/registry.ts";
import { readInventory } from "../../matching/inventory.ts";
import { targetsOf, usersText } from "./dependents.ts";

/**
 * Checks, just before records of a kind are deleted, who uses them by now: the server would delete an alert that somebody has just
 * put on a dashboard. Costs one list of each kind that can use them, for the whole group.
 * @param kind of the records
 * @param deleted the records
 * @param done records that this run has already deleted or written; a list that lags may show their former state
 * @returns the users, by record in use
 */
export async function newDependents(
  kind: KindName,
  deleted: ReadonlySet<RecordKey>,
  done: ReadonlySet<RecordKey>,
  client: StackClient,
  context: RunContext,
): Promise<ReadonlyMap<RecordKey, string>> {
  const pointing = deleted.size === 0 ? [] : kindsPointingTo(kind);
  if (pointing.length === 0) return new Map();
  const { kinds: lists } = await readInventory(client, pointing, context);
  const users = new Map<RecordKey, string[]>();
  for (const record of [...lists.values()].flatMap(({ records }) => records)) {
    if (done.has(recordKey(record.kind, record.id))) continue;
    for (const target of targetsOf(record.kind, record.body)) {
      if (deleted.has(target)) getOrMake(users, target, () => []).push(nameOfRecord(record));
    }
  }
  return new Map([...users].map(([key, names]) => [key, `${usersText(names)} to it`]));
}

/** Lists the other kinds that can be listed and can reference this one. */
function kindsPointingTo(kind: KindName): ResourceKind[] {
  return kinds.filter(
    ({ name, listing, references }) => name !== kind && listing !== "by-id" && references.some(({ to }) => to === kind),
  );
}
