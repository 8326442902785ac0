import type { Removal } from "../../core/plan/plan.ts";
import { kinds, knownKind } from "../../kinds/registry.ts";
import { getOrMake } from "../../core/collections.ts";
import type { JsonObject } from "../../core/json.ts";
import type { RunContext } from "../../core/events.ts";
import type { StackClient } from "../../core/ports.ts";
import { recordKey, keyOfRecord, type KindName, type RecordKey, type StackRecord } from "../../core/records/record.ts";
import { StackferryError } from "../../core/errors.ts";
import { joinNames, MAX_NAMED } from "../../core/text/format.ts";
import { nameOfRecord, pluralOf } from "../../kinds/nouns.ts";
import { readInventory, recordsOf, type Inventory } from "../../matching/inventory.ts";
import { findReferences } from "../../references/references.ts";

export function referencedKeys(kindName: KindName, body: JsonObject): RecordKey[] {
  return findReferences(knownKind(kindName), body).flatMap(({ record }) => record ?? []);
}

export function usersText(users: readonly string[]): string {
  return `stays, because it is used by ${joinNames([...new Set(users)], MAX_NAMED, (name) => name)}`;
}

/**
 * A record that stays because it is in use counts as a user of the records that it references.
 * @param usedBy the records that a record will reference after the run
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
 * Somebody may have just put an alert on a dashboard, and the server would delete the alert with it.
 * @param finished a list may still show the old links of these records
 * @throws StackferryError `forbidden` if a list of possible users cannot be read
 */
export async function readCurrentUsers(
  { kind, targetId }: Removal,
  finished: ReadonlySet<RecordKey>,
  client: StackClient,
  context: RunContext,
): Promise<string | undefined> {
  const key = recordKey(kind, targetId);
  const pointing = kinds.filter(({ name, references }) => name !== kind && references.some(({ to }) => to === kind));
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

/** True for alerts: no kind references them, and an update can remove an alert's tile. */
export function isRemovedBeforeWrites({ kind: name }: Removal): boolean {
  return !kinds.some(({ references }) => references.some(({ to }) => to === name));
}
