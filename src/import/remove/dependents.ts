import type { Removal } from "../../core/plan/plan.ts";
import { kinds, knownKind } from "../../kinds/registry.ts";
import { getOrMake } from "../../core/collections.ts";
import type { JsonObject } from "../../core/json.ts";
import type { RunContext } from "../../core/events.ts";
import type { StackClient } from "../../core/ports.ts";
import type { ResourceKind } from "../../core/resource-kind.ts";
import { recordKey, keyOfRecord, type KindName, type RecordKey, type StackRecord } from "../../core/records/record.ts";
import { StackferryError } from "../../core/errors.ts";
import { joinNames, MAX_NAMED } from "../../core/text/format.ts";
import { nameOfRecord, pluralOf } from "../../kinds/nouns.ts";
import { readInventory, recordsOf, type Inventory } from "../../matching/inventory.ts";
import { findReferences } from "../../references/references.ts";

export function referencedKeys(kindName: KindName, body: JsonObject): RecordKey[] {
  return findReferences(knownKind(kindName), body, new Map()).flatMap(({ record }) => record ?? []);
}

/** Makes the message that a record stays because other records use it. @param users those records, by kind and name; at least one */
export function usersText(users: readonly string[]): string {
  return `stays, because it is used by ${joinNames([...new Set(users)], MAX_NAMED, (name) => name)}`;
}

/**
 * Finds the users of each record: records that reference the record and stay on the target. A record with users must
 * stay: for example, the server would delete the alerts of a dashboard together with the dashboard. A record that stays
 * because it is in use counts as a user of the records that it references.
 * @param usedBy returns the records that a record will reference after the run
 */
export function dependentsThatStay(
  inventory: Inventory,
  deleted: ReadonlySet<RecordKey>,
  usedBy: (record: StackRecord) => readonly RecordKey[],
): ReadonlyMap<RecordKey, readonly string[]> {
  const byKey = new Map(recordsOf(inventory).map((record) => [keyOfRecord(record), record]));
  const staying = [...byKey].flatMap(([key, record]) => (deleted.has(key) ? [] : [record]));
  const dependents = new Map<RecordKey, string[]>();
  for (let record = staying.pop(); record !== undefined; record = staying.pop()) {
    for (const target of new Set(usedBy(record))) {
      const isFirst = !dependents.has(target);
      getOrMake(dependents, target, () => []).push(nameOfRecord(record));
      const used = byKey.get(target);
      if (isFirst && used !== undefined && deleted.has(target)) staying.push(used);
    }
  }
  return dependents;
}

/**
 * Finds, right before a record is deleted, the records that use it now: somebody may have just put an alert on a dashboard, and the
 * server would delete this alert with the dashboard. Reads the list of each kind that can reference the record.
 * @param finished records that this run has already deleted or written; they do not count, because a list may still show old links
 * @returns a message that names the users; undefined if there are none
 * @throws StackferryError `forbidden` if such a list cannot be read
 */
export async function readCurrentUsers(
  { kind, targetId }: Removal,
  finished: ReadonlySet<RecordKey>,
  client: StackClient,
  context: RunContext,
): Promise<string | undefined> {
  const key = recordKey(kind, targetId);
  const pointing = kindsPointingTo(kind);
  if (pointing.length === 0) return undefined;
  const inventory = await readInventory(client, pointing, context);
  for (const [name, { refusal }] of inventory.kinds) {
    if (refusal === undefined) continue;
    const message = `nobody can tell which ${pluralOf(name)} use the records to delete: ${refusal}`;
    throw new StackferryError("forbidden", message);
  }
  const users = recordsOf(inventory).filter(
    (record) => !finished.has(keyOfRecord(record)) && referencedKeys(record.kind, record.body).includes(key),
  );
  return users.length === 0 ? undefined : usersText(users.map(nameOfRecord));
}

/** Lists the other kinds whose records can reference records of this kind. */
function kindsPointingTo(kind: KindName): ResourceKind[] {
  return kinds.filter(({ name, references }) => name !== kind && references.some(({ to }) => to === kind));
}

/**
 * Tells whether a removal is carried out before all writes. True for alerts, because an update may remove the tile of an alert, and
 * no kind references alerts.
 */
export function isRemovedBeforeWrites({ kind: name }: Removal): boolean {
  return !kinds.some(({ references }) => references.some(({ to }) => to === name));
}
