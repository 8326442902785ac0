import type { JsonObject } from "../../core/json.ts";
import type { Warning } from "../../core/outcome.ts";
import type { RecordKey, StackRecord } from "../../core/records/record.ts";
import type { ResourceKind } from "../../core/resource-kind.ts";
import { knownKind } from "../../kinds/registry.ts";
import { mapChildrenByPosition, mapTakenChildren } from "../../references/map-children.ts";
import { haveSameContent } from "../../references/record-content.ts";
import { itemKey, recordOf, type PlanItem } from "../../core/plan/plan.ts";
import { buildBody, type RecordTranslation } from "../write-body.ts";
import { settleWrite, type RunMemory } from "./settle.ts";
import { dropsVitalMember, warnOfChangedMembers, warnOfKeptMembers } from "../compare-answer.ts";
import { refusalForPeople } from "../refused-places.ts";
import {
  isBodyRefusal,
  readUnknownMembers,
  warnOfLeftOutMembers,
  type UnknownMembers,
  type ReducedBody,
} from "../unknown-members.ts";
import type { Settled } from "../../core/plan/journal.ts";
import type { IdMap } from "../../core/plan/id-map.ts";
import type { JournaledWriter, WriteSubject } from "./journaled-writer.ts";

/** The inputs of `writeItem` that all items share. Every written record adds its ids to `translation`. */
export interface WriteContext {
  readonly writer: JournaledWriter;
  readonly records: ReadonlyMap<RecordKey, StackRecord>;
  readonly translation: RecordTranslation;
  readonly warn: (warning: Warning) => void;
  /** The members that the target has refused by name so far. */
  readonly unknown: UnknownMembers;
  /** The target's answer to the last write of each record. */
  readonly answers: Map<RecordKey, JsonObject>;
  readonly memory: RunMemory;
}

/** `first` creates or updates a record. `link` is the second write, which adds deferred links. */
export type WriteStep = "first" | "link";

/**
 * `unchanged`: nothing was written, because the target already has every part that it accepts. `lacks-vital`: the target dropped a
 * part that changes the record's meaning.
 */
export type WriteEffect = "written" | "unchanged" | "lacks-vital";

/** Writes one record and adds the record's ids on the target to `context`. */
export async function writeItem(item: PlanItem, step: WriteStep, context: WriteContext): Promise<WriteEffect> {
  const kind = knownKind(item.kind);
  const key = itemKey(item);
  const record = recordOf(item, context.records);
  const { writer, translation, warn, memory } = context;
  // A planned create stays a create, even if a map file or a journal gives the record an id: otherwise the run would overwrite a
  // record that the plan does not name.
  const targetId = step === "first" && item.action === "create" ? undefined : requiredId(item, translation);
  // Somebody may have edited the record between the create and the second write, so the record is compared with the answer to the
  // create, as before an update.
  const expected = step === "first" ? item.replaces?.body : context.answers.get(key);
  const replaced = step === "first" && targetId !== undefined ? expected : undefined;
  const later = step === "first" ? item.linksTo : [];
  const { desired, sent: body } = buildBody(kind, record, translation, { ...item, targetId, later });
  let mapped = true;
  const settle = (stored: JsonObject, sent: JsonObject): Settled => {
    const id = targetId ?? stored["id"];
    if (typeof id === "string") translation.ids.set(kind.name, record.id, id);
    mapped = mapChildren(item, record, sent, stored, translation.ids);
    return settleWrite(item, record, { desired, stored, lacksLinks: later.length > 0 }, translation.ids, memory);
  };
  const subject = (sent: JsonObject): WriteSubject => ({
    key: memory.identify(key),
    name: item.name,
    kind,
    kept: item.kept?.map((part) => part.key),
    dependents: step === "first" ? item.dependents : undefined,
    mayLose: item.mayHide?.settings,
    lacksLinks: later.length > 0,
    settle: (stored) => settle(stored, sent),
  });
  const { sent, leftOut, answer } = await sendAcceptedMembers(kind, body, context, {
    send: async (reduced) => {
      if (targetId !== undefined) {
        return writer.update(subject(reduced), step === "link" ? "link" : "update", targetId, reduced, expected);
      }
      return writer.create(subject(reduced), reduced);
    },
    isThere: (reduced) => replaced !== undefined && haveSameContent(kind, reduced, replaced),
  }).catch((error: unknown) => {
    throw isBodyRefusal(error) ? refusalForPeople(kind, body, error) : error;
  });
  for (const warning of warnOfLeftOutMembers(kind, item.name, body, leftOut)) warn(warning);
  if (answer === undefined) return "unchanged";
  context.answers.set(key, answer);
  for (const warning of warnOfAnswer(item, { sent, answer, replaced, mapped })) warn(warning);
  return dropsVitalMember(kind, sent, answer) ? "lacks-vital" : "written";
}

/** Returns the id on the target of a record that an earlier step or run has written, or that the plan has matched. */
function requiredId({ kind, sourceId, name }: PlanItem, { ids }: RecordTranslation): string {
  const targetId = ids.get(kind, sourceId);
  if (targetId === undefined) throw new Error(`the update of ${kind} "${name}" has no id on the target`);
  return targetId;
}

/** Adds the ids of children. Returns false if the answer has more or fewer children than were sent. */
function mapChildren(item: PlanItem, record: StackRecord, sent: JsonObject, stored: JsonObject, ids: IdMap): boolean {
  const kind = knownKind(item.kind);
  const children =
    item.parts === undefined
      ? mapChildrenByPosition(kind, record.body, stored)
      : mapTakenChildren(kind, record, item.parts, { ids, sent, stored });
  for (const child of children ?? []) ids.set(child.space, child.from, child.to);
  return children !== undefined;
}

/** Warns of everything that the target stored differently. */
function warnOfAnswer(
  item: PlanItem,
  result: {
    readonly sent: JsonObject;
    readonly answer: JsonObject;
    readonly replaced: JsonObject | undefined;
    readonly mapped: boolean;
  },
): Warning[] {
  const { name } = item;
  const kind = knownKind(item.kind);
  const { sent, answer, replaced, mapped } = result;
  const message = `the stack stored the ${kind.singular} "${name}" with other tiles or filters than were sent; stackferry diff shows which`;
  const unmapped: Warning = { code: "not-stored", message };
  return [
    ...(mapped ? [] : [unmapped]),
    ...warnOfChangedMembers(kind, name, sent, answer),
    ...(replaced === undefined ? [] : warnOfKeptMembers(kind, name, { before: replaced, sent, stored: answer })),
  ];
}

/** Maximum number of sends. A refusal may name only the first unknown member, so each send may find one more. */
const MAX_SENDS = 20;

/** The body that was finally sent, and the answer; no answer if the target already had this content. */
interface SentBody {
  readonly sent: JsonObject;
  readonly leftOut: ReducedBody["leftOut"];
  readonly answer: JsonObject | undefined;
}

type Send = (body: JsonObject) => Promise<JsonObject>;

/**
 * Sends a record. If the target refuses members by name, sends the record again without them: a refused write was not carried out.
 * @param isThere tells whether the target already has this content, so that nothing need be sent. Called only if members were left
 * out
 */
async function sendAcceptedMembers(
  kind: ResourceKind,
  body: JsonObject,
  { unknown }: Pick<WriteContext, "unknown">,
  { send, isThere }: { readonly send: Send; readonly isThere: (body: JsonObject) => boolean },
): Promise<SentBody> {
  for (let sends = 1; ; sends += 1) {
    const { body: sent, leftOut } = unknown.withoutUnknown(kind, body);
    if (leftOut.length > 0 && isThere(sent)) return { sent, leftOut, answer: undefined };
    try {
      return { sent, leftOut, answer: await send(sent) };
    } catch (refusal) {
      if (!isBodyRefusal(refusal) || sends >= MAX_SENDS) throw refusal;
      if (!unknown.addUnknown(kind, sent, readUnknownMembers(refusal.message))) throw refusal;
    }
  }
}
