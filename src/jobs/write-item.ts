import { StackferryError } from "../domain/errors.ts";
import type { JsonObject } from "../domain/json.ts";
import type { Warning } from "../domain/outcome.ts";
import type { PlanItem } from "../domain/plan.ts";
import type { StackClient } from "../domain/ports.ts";
import { recordKey } from "../domain/record.ts";
import type { RecordKey, StackRecord } from "../domain/record.ts";
import type { ResourceKind } from "../domain/resource-kind.ts";
import { findKind } from "../kinds/registry.ts";
import { compareStored } from "./compare-stored.ts";
import { mapPartsByPosition } from "./parts.ts";
import { createBody, updateBody } from "./write-bodies.ts";
import type { Translation } from "./write-bodies.ts";

/** What a write needs. The ids of `translation` grow with every record that is written. */
export interface WriteContext {
  readonly client: StackClient;
  readonly read: (key: RecordKey) => Promise<StackRecord>;
  readonly translation: Translation;
  readonly warn: (warning: Warning) => void;
}

/**
 * Writes one record and learns its ids on the target. `first` creates or updates it; `link` is the second write that adds
 * the links which had to wait (design, Cycles). A write that began is not cut short when the user interrupts the run.
 */
export async function writeItem(item: PlanItem, step: "first" | "link", context: WriteContext): Promise<void> {
  const kind = findKind(item.kind);
  if (!kind) throw new StackferryError("archive-unknown", `records of the kind "${item.kind}" are not known`);
  const record = await context.read(recordKey(item.kind, item.sourceId));
  const { client, translation } = context;
  const targetId = item.targetId ?? translation.ids.get(item.kind, item.sourceId);
  if (targetId === undefined) {
    const body = createBody(kind, record, translation, item.linksTo);
    const stored = await client.create(kind, body);
    learnIds(kind, record, stored, context);
    report(kind, record, body, stored, context);
    return;
  }
  if (step === "first" && item.action === "create") return;
  const body = updateBody(kind, record, translation, targetId);
  const stored = await client.update(kind, targetId, body);
  learnIds(kind, record, stored, context);
  report(kind, record, body, stored, context);
}

function learnIds(kind: ResourceKind, record: StackRecord, stored: JsonObject, context: WriteContext): void {
  const { ids } = context.translation;
  const id = stored["id"];
  if (typeof id !== "string" || id === "") {
    const message = `the stack stored the ${kind.singular} "${record.name}" but answered no id for it`;
    throw new StackferryError("protocol", message, { hint: "Run the same import again: it recognises what is there." });
  }
  ids.set(kind.name, record.id, id);
  const parts = mapPartsByPosition(kind, record.body, stored);
  if (parts) for (const part of parts) ids.set(part.space, part.from, part.to);
  else {
    const message = `the stack stored another number of tiles or filters of the ${kind.singular} "${record.name}" than were sent`;
    context.warn({ code: "parts-differ", message });
  }
}

function report(
  kind: ResourceKind,
  record: StackRecord,
  sent: JsonObject,
  stored: JsonObject,
  context: WriteContext,
): void {
  for (const pointer of compareStored(kind, sent, stored)) {
    const message = `the stack did not store this member of the ${kind.singular} "${record.name}" as it was sent`;
    context.warn({ code: "not-stored", message, pointer });
  }
}
