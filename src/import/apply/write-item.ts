import type { JsonObject } from "../../core/json.ts";
import type { Warning } from "../../core/outcome.ts";
import type { PlanItem } from "../../core/plan/plan.ts";
import type { RecordKey, StackRecord, Variant } from "../../core/records/record.ts";
import { recordKey } from "../../core/records/record.ts";
import type { ResourceKind } from "../../core/resource-kind.ts";
import { knownKind } from "../../kinds/registry.ts";
import { mapChildrenByPosition } from "../../references/map-children.ts";
import { haveSameContent } from "../../references/record-content.ts";
import { itemKey } from "../../core/plan/plan.ts";
import type { Translation } from "../write-body.ts";
import { bodyOfCreate } from "../write-body.ts";
import { bodyOfUpdate, mapTakenChildren, partsLeavingOthers } from "../partial-update.ts";
import {
  warnOfKeptMembers,
  warnOfChangedMembers,
  dropsVitalMember,
  isBodyRefusal,
  warnOfLeftOutMembers,
  namesNoMember,
  readUnknownMembers,
} from "../unknown-members.ts";
import type { JournaledWriter } from "./journaled-writer.ts";
import type { UnknownMembers, ReducedBody } from "../unknown-members.ts";
import { withValueAt } from "../../core/records/member-path.ts";
import { isVital } from "../../kinds/members/vital-members.ts";
import { unpublishedPlaces } from "../../kinds/members/published-members.ts";

/** The inputs of `writeItem` that all items share. Every written record adds its ids to `translation`. */
export interface WriteContext {
  readonly writer: JournaledWriter;
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

/** `unchanged`: the target has all that it accepts. `lacks-vital`: it dropped a part that changes the record's meaning. */
export type WriteEffect = "written" | "unchanged" | "lacks-vital";

/** Writes one record and adds the record's ids on the target to `context`. */
export async function writeItem(item: PlanItem, step: WriteStep, context: WriteContext): Promise<WriteEffect> {
  const kind = knownKind(item.kind);
  const key = itemKey(item);
  const record = await context.read(key);
  const { writer, translation, warn } = context;
  const subject = { key, name: item.name, kind, inParts: partsLeavingOthers(item) !== undefined };
  // A planned create stays a create, even if a map file or a journal gives the record an id: otherwise the run would overwrite a
  // record that the plan does not name.
  const isCreate = step === "first" && item.action === "create";
  const targetId = isCreate ? undefined : translation.ids.get(item.kind, item.sourceId);
  // Somebody may have edited the record between the create and the second write, so the record is compared with the answer to the
  // create, as before an update.
  const expected = step === "first" ? item.replaces?.body : context.stored.get(key);
  const isUpdate = step === "first" && targetId !== undefined && expected !== undefined;
  const body =
    targetId === undefined
      ? bodyOfCreate(kind, record, translation, item.linksTo, item.leftOut)
      : bodyOfUpdate(kind, record, translation, targetId, item);
  const { sent, stored, warnings } = await sendAcceptedMembers(kind, item.name, body, context, {
    send: async (reduced) => {
      if (targetId !== undefined) {
        return writer.update(subject, step === "link" ? "link" : "update", targetId, reduced, expected);
      }
      const made = await writer.create(subject, reduced);
      translation.ids.set(kind.name, record.id, made.id);
      return made;
    },
    isThere: (reduced) => isUpdate && haveSameContent(kind, reduced, expected),
  });
  for (const warning of warnings) warn(warning);
  if (stored === undefined) return "unchanged";
  recordAnswer(item, record, { sent, stored }, context);
  if (isUpdate)
    for (const warning of warnOfKeptMembers(kind, item.name, { before: expected, sent, stored })) warn(warning);
  return dropsVitalMember(kind, sent, stored) ? "lacks-vital" : "written";
}

/** Notes the answer to a write and the new ids of children. The record's own id stays: not every answer to an update has it. */
function recordAnswer(
  { kind: kindName, name, parts }: PlanItem,
  record: StackRecord,
  { sent, stored }: { readonly sent: JsonObject; readonly stored: JsonObject },
  context: WriteContext,
): void {
  const kind = knownKind(kindName);
  const { ids } = context.translation;
  context.stored.set(recordKey(kind.name, record.id), stored);
  const children =
    parts === undefined
      ? mapChildrenByPosition(kind, record.body, stored)
      : mapTakenChildren(kind, record, parts, { ids, sent, stored });
  if (children) for (const child of children) ids.set(child.space, child.from, child.to);
  else {
    const message = `the stack stored the ${kind.singular} "${name}" with other tiles or filters than were sent`;
    context.warn({ code: "parts-differ", message });
  }
  for (const warning of warnOfChangedMembers(kind, name, sent, stored)) context.warn(warning);
}

/** Times that a record is sent, each time without the members that the last refusal named: it may name only the first. */
const MAX_SENDS = 20;

/** The body that was finally sent, and the answer; no answer if the target already had this content. */
interface SentBody {
  readonly sent: JsonObject;
  readonly stored: JsonObject | undefined;
  readonly warnings: readonly Warning[];
}

/**
 * Sends a record. If it is refused for members by name, sends it without them and warns: a refused write was not carried out. If
 * the refusal names none, sends it once more without members that no published API description contains.
 * @param isThere tells whether the target already has this content, so that nothing need be sent. Called only if members were left out
 */
async function sendAcceptedMembers(
  kind: ResourceKind,
  name: string,
  body: JsonObject,
  { variant, unknown }: Pick<WriteContext, "variant" | "unknown">,
  {
    send,
    isThere,
  }: {
    readonly send: (body: JsonObject) => Promise<JsonObject>;
    readonly isThere: (body: JsonObject) => boolean;
  },
): Promise<SentBody> {
  const resultOf = ({ body: sent, lost }: ReducedBody, stored?: JsonObject): SentBody => {
    return { sent, stored, warnings: warnOfLeftOutMembers(kind, name, body, lost) };
  };
  for (let sends = 1; ; sends += 1) {
    const reduced = unknown.withoutUnknown(kind, body);
    if (reduced.lost.length > 0 && isThere(reduced.body)) return resultOf(reduced);
    try {
      return resultOf(reduced, await send(reduced.body));
    } catch (error) {
      if (!isBodyRefusal(error) || sends >= MAX_SENDS) throw error;
      if (unknown.learnUnknown(kind, reduced.body, readUnknownMembers(error.message))) continue;
      const guess = namesNoMember(error.message, reduced.body) ? unpublishedMembers(kind, variant, reduced.body) : [];
      if (guess.length === 0) throw error;
      try {
        const without = withoutPlaces(reduced, guess);
        const stored = await send(without.body);
        unknown.learnUnknown(kind, reduced.body, guess);
        return resultOf(without, stored);
      } catch (second) {
        // The first refusal is about the whole record, so it tells more than a failure of the reduced record.
        throw isBodyRefusal(second) ? error : second;
      }
    }
  }
}

function unpublishedMembers(kind: ResourceKind, variant: Variant, body: JsonObject): readonly (readonly string[])[] {
  return unpublishedPlaces(kind.name, variant, body).filter((tokens) => !isVital(kind, body, tokens));
}

function withoutPlaces({ body, lost }: ReducedBody, places: readonly (readonly string[])[]): ReducedBody {
  return {
    body: places.reduce((copy, tokens) => withValueAt(copy, tokens, undefined), body),
    lost: [...lost, ...places],
  };
}
