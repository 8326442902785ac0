import { StackferryError } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Warning } from "../../core/outcome.ts";
import type { PlanItem } from "../../core/importing/plan.ts";
import type { RecordKey, StackRecord } from "../../core/records/record.ts";
import { recordKey } from "../../core/records/record.ts";
import type { ResourceKind } from "../../core/resource-kind.ts";
import { findKind } from "../../kinds/registry.ts";
import { mapChildrenByPosition } from "../../references/children.ts";
import { itemKey } from "../plan/plan-import.ts";
import type { Translation } from "./bodies.ts";
import { createBody, updateBody } from "./bodies.ts";
import { compareStored } from "./compare-stored.ts";
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
  const kind = findKind(item.kind);
  if (!kind) throw new StackferryError("archive-unknown", `records of the kind "${item.kind}" are not known`);
  const record = await context.read(itemKey(item));
  const { writer, translation } = context;
  const subject = { key: itemKey(item), name: item.name, kind };
  const targetId = translation.ids.get(item.kind, item.sourceId);
  // What the plan calls a create is one, whatever id the map file or a journal names for it: nothing is overwritten unplanned.
  if (targetId === undefined || (step === "first" && item.action === "create")) {
    const body = createBody(kind, record, translation, item.linksTo, item.leftOut);
    return addIds(kind, record, body, await writer.create(subject, body), context);
  }
  const body = updateBody(kind, record, translation, targetId, item.leftOut);
  const write = step === "link" ? "link" : "update";
  const expected = step === "first" ? item.replaces?.body : undefined;
  return addIds(kind, record, body, await writer.update(subject, write, targetId, body, expected), context);
}

function addIds(
  kind: ResourceKind,
  record: StackRecord,
  sent: JsonObject,
  stored: JsonObject,
  context: WriteContext,
): void {
  const { ids } = context.translation;
  context.stored.set(recordKey(kind.name, record.id), stored);
  ids.set(kind.name, record.id, typeof stored["id"] === "string" ? stored["id"] : "");
  const children = mapChildrenByPosition(kind, record.body, stored);
  if (children) for (const child of children) ids.set(child.space, child.from, child.to);
  else {
    const message = `the stack stored the ${kind.singular} "${record.name}" with other tiles or filters than were sent`;
    context.warn({ code: "parts-differ", message });
  }
  for (const warning of compareStored(kind, record.name, sent, stored)) context.warn(warning);
}
