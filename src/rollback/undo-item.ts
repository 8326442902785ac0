import { StackferryError } from "../core/errors.ts";
import { IdMap } from "../core/id-map.ts";
import type { Journal } from "../core/journal.ts";
import type { JsonObject } from "../core/json.ts";
import { isJsonObject } from "../core/json.ts";
import type { Clock, StackClient } from "../core/ports.ts";
import type { ResourceKind } from "../core/resource-kind.ts";
import { acceptedBody, createBody } from "../import/apply/bodies.ts";
import type { SafeWriter } from "../import/apply/safe-writer.ts";
import type { Variant } from "../core/record.ts";
import { findKind } from "../kinds/registry.ts";
import { content } from "../references/record-content.ts";
import type { RollbackItem } from "./item.ts";

export interface UndoDependencies {
  readonly client: StackClient;
  readonly journal: Journal;
  readonly clock: Clock;
}

/**
 * Deletes a record, or puts back what was there. Each takes a `GET` before: a delete cannot be taken back, and a record that
 * was listed when the rollback began may have been changed while the others were undone.
 */
export async function undoItem(
  item: RollbackItem,
  writer: SafeWriter,
  { client, journal, clock }: UndoDependencies,
): Promise<void> {
  const kind = findKind(item.kind);
  if (!kind || item.action === "skip") return;
  const { key, name, targetId } = item;
  if (item.action === "delete") {
    await refuseChanged(item, kind, client);
    const at = (): string => new Date(clock.now()).toISOString();
    await journal.append({ type: "intent", at: at(), key, name, write: "delete", targetId });
    await client.delete(kind, targetId);
    await journal.append({ type: "done", at: at(), key, write: "delete", targetId, content: "" });
    return;
  }
  const previous = inOneForm(kind, item.previous ?? {}, client.identity.variant);
  if (item.action === "create") {
    const record = { kind: item.kind, id: targetId, name, body: previous };
    const asItIs = { ids: new IdMap(), known: new Map(), labels: { tags: [] } };
    await writer.create({ key, name, kind }, createBody(kind, record, asItIs, []), "restore");
    return;
  }
  const body = acceptedBody(kind, previous);
  await writer.update({ key, name, kind }, "restore", targetId, { ...kind.clearOnUpdate, ...body }, item.current);
}

/** As the target's own variant takes it, where one record says it all. */
function inOneForm({ formsOn }: ResourceKind, body: JsonObject, variant: Variant): JsonObject {
  const [form, ...others] = formsOn?.(body, variant) ?? [];
  return form === undefined || others.length > 0 ? body : form;
}

/** What is gone by now is deleted all the same: the server takes that for success, and the journal needs the line. */
async function refuseChanged({ name, targetId, current }: RollbackItem, kind: ResourceKind, client: StackClient) {
  const now = await recordNow(kind, targetId, client);
  if (now === undefined || current === undefined || content(kind, now) === content(kind, current)) return;
  const message = `the ${kind.singular} "${name}" was changed on the target since the plan was made, so it was left alone`;
  throw new StackferryError("changed-since", message, { hint: "Roll back again to plan with what is there now." });
}

/** What the target has of a record, undefined where it is gone. Kinds without a route for one record are looked for in their list. */
async function recordNow(kind: ResourceKind, id: string, client: StackClient): Promise<JsonObject | undefined> {
  if (kind.routes[client.identity.variant].get === undefined) {
    for await (const page of client.list(kind)) {
      for (const { value } of page) if (isJsonObject(value) && value["id"] === id) return value;
    }
    return undefined;
  }
  return client.get(kind, id).catch((error: unknown) => {
    if (error instanceof StackferryError && error.code === "not-found") return undefined;
    throw error;
  });
}
