import type { JsonObject } from "../../core/json.ts";
import type { Warning } from "../../core/outcome.ts";
import type { PlanItem } from "../../core/importing/plan.ts";
import type { RecordKey, StackRecord } from "../../core/records/record.ts";
import { recordKey } from "../../core/records/record.ts";
import type { ResourceKind } from "../../core/resource-kind.ts";
import { knownKind } from "../../kinds/registry.ts";
import { mapChildrenByPosition } from "../../references/children.ts";
import { itemKey } from "../plan/plan-import.ts";
import type { Translation } from "./bodies.ts";
import { createBody, updateBody } from "./bodies.ts";
import { compareKept, compareStored } from "./compare-stored.ts";
import type { SafeWriter } from "./safe-writer.ts";

/** The ids of `translation` grow with every record that is written. */
export interface WriteContext {
  readonly writer: SafeWriter;
  readonly read: (key: RecordKey) => Promise<StackRecord>;
  readonly translation: Translation;
  readonly warn: (warning: Warning) => void;
  /** What the target answered, by record: the last write of each. */
  readonly stored: Map<RecordKey, JsonObject>;
}

/** `first` creates or updates a record. `link` is the second write that adds the links which had to wait (design, Cycles). */
export type WriteStep = "first" | "link";

/** Writes one record and adds its ids on the target to those of `context`. */
export async function writeItem(item: PlanItem, step: WriteStep, context: WriteContext): Promise<void> {
  const kind = knownKind(item.kind);
  const record = await context.read(itemKey(item));
  const { writer, translation } = context;
  const subject = { key: itemKey(item), name: item.name, kind };
  // What the plan calls a create is one, whatever id the map file or a journal names for it: nothing is overwritten unplanned.
  const isCreate = step === "first" && item.action === "create";
  const targetId = isCreate ? undefined : translation.ids.get(item.kind, item.sourceId);
  if (targetId === undefined) {
    const body = createBody(kind, record, translation, item.linksTo, item.leftOut);
    const stored = await writer.create(subject, body);
    translation.ids.set(kind.name, record.id, stored.id);
    return noteStored(kind, record, body, stored, context);
  }
  const body = updateBody(kind, record, translation, targetId, item.leftOut);
  const write = step === "link" ? "link" : "update";
  const expected = step === "first" ? item.replaces?.body : undefined;
  const stored = await writer.update(subject, write, targetId, body, expected);
  noteStored(kind, record, body, stored, context);
  if (expected === undefined) return;
  for (const warning of compareKept(kind, record.name, { before: expected, sent: body, stored })) context.warn(warning);
}

/** Of an update the id is known already: not every answer to one need name it. */
function noteStored(
  kind: ResourceKind,
  record: StackRecord,
  sent: JsonObject,
  stored: JsonObject,
  context: WriteContext,
): void {
  const { ids } = context.translation;
  context.stored.set(recordKey(kind.name, record.id), stored);
  const children = mapChildrenByPosition(kind, record.body, stored);
  if (children) for (const child of children) ids.set(child.space, child.from, child.to);
  else {
    const message = `the stack stored the ${kind.singular} "${record.name}" with other tiles or filters than were sent`;
    context.warn({ code: "parts-differ", message });
  }
  for (const warning of compareStored(kind, record.name, sent, stored)) context.warn(warning);
}
