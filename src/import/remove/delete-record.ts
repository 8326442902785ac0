import { StackError, StackferryError, isNotBegun } from "../../core/errors.ts";
import type { Journal } from "../../core/plan/journal.ts";
import type { JsonObject } from "../../core/json.ts";
import { isJsonObject } from "../../core/json.ts";
import type { Clock, StackClient } from "../../core/ports.ts";
import type { RecordKey } from "../../core/records/record.ts";
import type { ResourceKind } from "../../core/resource-kind.ts";
import { haveSameContent, recordFingerprint } from "../../references/record-content.ts";

/** A record of the target to delete. */
export interface Deletion {
  readonly key: RecordKey;
  readonly kind: ResourceKind;
  readonly name: string;
  readonly targetId: string;
  /** The target's record when the plan was made. If the record has changed since, it is not deleted (`changed-since`). */
  readonly expected: JsonObject | undefined;
  /** The body that the journal keeps for a rollback. */
  readonly previous?: JsonObject;
  /** The kind of write in the journal: `remove` in an import, `delete` in a rollback. */
  readonly write: "remove" | "delete";
}

export interface DeletionPorts {
  readonly client: StackClient;
  readonly journal: Journal;
  readonly clock: Clock;
}

/**
 * Deletes a record, with a journal entry before and after. Reads the record first, because a delete cannot be undone and the record
 * may have changed since it was listed. The delete is sent even if the record is already gone: the server answers success, and the
 * journal needs the entry.
 */
export async function deleteRecord(deletion: Deletion, { client, journal, clock }: DeletionPorts): Promise<void> {
  const { key, kind, name, targetId, expected, previous, write } = deletion;
  const now = await recordNow(kind, targetId, client);
  if (now !== undefined && expected !== undefined && !haveSameContent(kind, now, expected)) {
    throw changedSince(deletion);
  }
  const timeStamp = (): string => new Date(clock.now()).toISOString();
  const restorable = previous && { previous, content: recordFingerprint(kind, expected ?? previous) };
  await journal.append({ type: "intent", at: timeStamp(), key, name, write, targetId, ...restorable });
  try {
    await client.delete(kind, targetId);
  } catch (error) {
    const code = isNotBegun(error) ? "interrupted" : refusalOf(error);
    if (code !== undefined) await journal.append({ type: "refused", at: timeStamp(), key, write, code });
    throw error;
  }
  await journal.append({ type: "done", at: timeStamp(), key, write, targetId, content: "" });
}

function refusalOf(error: unknown): string | undefined {
  return error instanceof StackError && error.failure.applied === "no" ? error.code : undefined;
}

function changedSince({ kind, name, write }: Deletion): StackferryError {
  const message = `somebody changed the ${kind.singular} "${name}" on the target since the plan was made; it was not deleted`;
  const again = write === "delete" ? "Roll back again" : "Run the import again";
  return new StackferryError("changed-since", message, { hint: `${again}: the new plan uses the current records.` });
}

/**
 * Reads the present body of a record; returns undefined if the record is gone. If its kind has no route for a single record, the
 * list of the kind is searched.
 */
async function recordNow(kind: ResourceKind, id: string, client: StackClient): Promise<JsonObject | undefined> {
  if (kind.routes[client.identity.variant].get === undefined) {
    let isWhole = true;
    for await (const page of client.list(kind, undefined, () => (isWhole = false))) {
      for (const { value } of page) if (isJsonObject(value) && value["id"] === id) return value;
    }
    if (isWhole) return undefined;
    const message = `the ${kind.singular} may still exist: the list of ${kind.name} shows fewer records than the stack counts`;
    throw new StackferryError("list-incomplete", message, { hint: "Delete it in the web interface." });
  }
  return client.get(kind, id).catch((error: unknown) => {
    if (error instanceof StackferryError && error.code === "not-found") return undefined;
    throw error;
  });
}
