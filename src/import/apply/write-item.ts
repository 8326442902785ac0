import type { JsonObject } from "../../core/json.ts";
import type { Warning } from "../../core/outcome.ts";
import type { TakenParts } from "../../core/plan/parts.ts";
import type { PlanItem } from "../../core/plan/plan.ts";
import type { RecordKey, StackRecord, Variant } from "../../core/records/record.ts";
import { recordKey } from "../../core/records/record.ts";
import type { ResourceKind } from "../../core/resource-kind.ts";
import { knownKind } from "../../kinds/registry.ts";
import { mapChildrenByPosition } from "../../references/children.ts";
import { haveSameContent } from "../../references/record-content.ts";
import { itemKey } from "../../core/plan/plan.ts";
import type { Translation } from "../write-body.ts";
import { bodyOfUpdate, idsOfTaken } from "../composed-body.ts";
import { createBody } from "../write-body.ts";
import { compareKept, compareStored, losesVital } from "../compare-stored.ts";
import type { SafeWriter } from "./safe-writer.ts";
import { sendAcceptedMembers } from "./send-accepted-members.ts";
import type { UnknownMembers } from "../unknown-members.ts";

/** The ids in `translation` grow with every written record. */
export interface WriteContext {
  readonly writer: SafeWriter;
  readonly read: (key: RecordKey) => Promise<StackRecord>;
  readonly translation: Translation;
  readonly warn: (warning: Warning) => void;
  readonly variant: Variant;
  /** The members that the target has refused by name so far. */
  readonly unknown: UnknownMembers;
  /** The target's answer to the last write of each record. */
  readonly stored: Map<RecordKey, JsonObject>;
}

/** `first` creates or updates a record. `link` is the second write, which adds deferred links. */
export type WriteStep = "first" | "link";

/**
 * `unchanged`: nothing was written, because the target already has every part of the record that it accepts. `maimed`: the record
 * was written, but the target dropped a part that changes its meaning.
 */
export type WriteEffect = "written" | "unchanged" | "maimed";

/** Writes one record and adds its ids on the target to those of `context`. */
export async function writeItem(item: PlanItem, step: WriteStep, context: WriteContext): Promise<WriteEffect> {
  const kind = knownKind(item.kind);
  const record = await context.read(itemKey(item));
  const { writer, translation, variant, unknown } = context;
  const sending = { kind, name: item.name, variant, unknown };
  const subject = { key: itemKey(item), name: item.name, kind };
  // A planned create stays a create, even if a map file or a journal gives the record an id: otherwise something would be
  // overwritten that the plan does not name.
  const isCreate = step === "first" && item.action === "create";
  const targetId = isCreate ? undefined : translation.ids.get(item.kind, item.sourceId);
  if (targetId === undefined) {
    const body = createBody(kind, record, translation, item.linksTo, item.leftOut);
    const { sent, stored, warnings } = await sendAcceptedMembers(body, {
      ...sending,
      send: (sentBody) => writer.create(subject, sentBody),
    });
    if (stored === undefined) return "unchanged";
    translation.ids.set(kind.name, record.id, stored.id);
    for (const warning of warnings) context.warn(warning);
    noteStored(kind, record, undefined, { sent, stored }, context);
    return effectOf(kind, sent, stored);
  }
  const body = bodyOfUpdate(kind, record, translation, targetId, item);
  const write = step === "link" ? "link" : "update";
  // Somebody may have edited the record between the create and this second write, so it is compared as before an update.
  const expected = step === "first" ? item.replaces?.body : context.stored.get(itemKey(item));
  const { sent, stored, warnings } = await sendAcceptedMembers(body, {
    ...sending,
    send: (sentBody) => writer.update(subject, write, targetId, sentBody, expected),
    isThere: (sentBody) => step === "first" && expected !== undefined && haveSameContent(kind, sentBody, expected),
  });
  for (const warning of warnings) context.warn(warning);
  if (stored === undefined) return "unchanged";
  noteStored(kind, record, item.parts, { sent, stored }, context);
  if (step === "first" && expected !== undefined) {
    for (const warning of compareKept(kind, record.name, { before: expected, sent, stored })) context.warn(warning);
  }
  return effectOf(kind, sent, stored);
}

function effectOf(kind: ResourceKind, sent: JsonObject, stored: JsonObject): WriteEffect {
  return losesVital(kind, sent, stored) ? "maimed" : "written";
}

/** Stores the target's ids of a record. Not every update response contains the id, so the known id is kept. */
function noteStored(
  kind: ResourceKind,
  record: StackRecord,
  parts: TakenParts | undefined,
  { sent, stored }: { readonly sent: JsonObject; readonly stored: JsonObject },
  context: WriteContext,
): void {
  const { ids } = context.translation;
  context.stored.set(recordKey(kind.name, record.id), stored);
  const children =
    parts === undefined
      ? mapChildrenByPosition(kind, record.body, stored)
      : idsOfTaken(kind, record, parts, { ids, sent, stored });
  if (children) for (const child of children) ids.set(child.space, child.from, child.to);
  else {
    const message = `the stack stored the ${kind.singular} "${record.name}" with other tiles or filters than were sent`;
    context.warn({ code: "parts-differ", message });
  }
  for (const warning of compareStored(kind, record.name, sent, stored)) context.warn(warning);
}
