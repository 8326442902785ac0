import pLimit from "p-limit";
import { getOrMake } from "../../core/collections.ts";
import { StackError, StackferryError, isStoppedBeforeWrite } from "../../core/errors.ts";
import type { EntryOf, Image, Settled } from "../../core/plan/journal.ts";
import { isJsonObject, sharedWith, type JsonObject } from "../../core/json.ts";
import type { IdMap } from "../../core/plan/id-map.ts";
import type { Warning } from "../../core/outcome.ts";
import { itemKey, recordOf, type Plan, type PlanItem, type Removal } from "../../core/plan/plan.ts";
import type { LookBeforeWrite } from "../../core/ports.ts";
import { recordKey, type RecordKey, type StackRecord } from "../../core/records/record.ts";
import type { ResourceKind } from "../../core/resource-kind.ts";
import { knownKind } from "../../kinds/registry.ts";
import { fitted } from "../../matching/plan-options.ts";
import { naturalKey } from "../../matching/match-records.ts";
import type { Redactor } from "../../redaction/redactor.ts";
import { isSameId } from "../../references/known-ids.ts";
import { haveSameContent, recordFingerprint } from "../../references/record-content.ts";
import { hostKeysOf } from "../../references/references.ts";
import { judgeAnswer, warnOfOtherParts } from "../compare-answer.ts";
import {
  isBodyRefusal,
  readUnknownMembers,
  refusalForPeople,
  warnOfLeftOutMembers,
  type ReducedBody,
  type UnknownMembers,
} from "../refusals.ts";
import { formOf, plannedBody, withIds, withoutLinks, type FormOptions } from "../write-body.ts";
import { createOnce, type LostCreateSearch } from "./lost-create.ts";
import { mapAnswer, settleWrite, type RunMemory } from "./settle.ts";
import type { OperationResult, WriteOperation } from "./operations.ts";

/** Requests for one write: a refusal may name only the first of several unknown members. */
const MAX_BODIES = 20;

export interface WriterOptions extends LostCreateSearch, FormOptions, Pick<Plan, "bodies" | "idsToCome"> {
  readonly records: ReadonlyMap<RecordKey, StackRecord>;
  /** Every written record adds its ids. */
  readonly ids: IdMap;
  readonly unknown: UnknownMembers;
  readonly answers: Map<RecordKey, JsonObject>;
  readonly memory: RunMemory;
  /** For the journal, whose lines contain no secret. */
  readonly redact: Redactor;
  readonly warn: (warning: Warning) => void;
}

type Details = Omit<EntryOf<"intent">, "type" | "at" | "key" | "name" | "write" | "targetId">;

/** `desired` lacks the links that a later write adds; `sent` has the form of the request. */
interface WriteBody {
  readonly desired: JsonObject;
  readonly sent: JsonObject;
}

interface Unit extends Pick<EntryOf<"intent">, "key" | "name" | "write" | "targetId"> {
  readonly kind: ResourceKind;
  readonly body?: JsonObject;
  /** The target's record as the plan found it or the run wrote it. If the present record differs, nothing is written. */
  readonly expected?: JsonObject | undefined;
  readonly details: Details;
  readonly settle?: (stored: JsonObject) => Settled;
}

/** A repeated create would make a second record (docs/api.md#envelopes) of the same name (docs/api.md#dashboards). */
export class Writer {
  readonly #options: WriterOptions;
  /** Creates with one natural key take turns: if two were lost, nothing would tell their records apart (docs/api.md#dashboards). */
  readonly #turns = new Map<string, ReturnType<typeof pLimit>>();

  constructor(options: WriterOptions) {
    this.#options = options;
  }

  async write(operation: WriteOperation): Promise<OperationResult> {
    const { item } = operation;
    const { unknown } = this.#options;
    const kind = knownKind(item.kind);
    const built = this.#bodyOf(operation);
    for (let bodies = 1; ; bodies += 1) {
      const reduced = unknown.withoutUnknown(kind, built.sent);
      try {
        return await this.#writeBody(operation, built, reduced);
      } catch (error) {
        if (!isBodyRefusal(error)) throw error;
        const isNew = bodies < MAX_BODIES && unknown.addUnknown(kind, reduced.body, readUnknownMembers(error.message));
        if (!isNew) throw refusalForPeople(kind, built.sent, error);
      }
    }
  }

  #bodyOf({ write, item }: WriteOperation): WriteBody {
    const { ids, bodies, idsToCome } = this.#options;
    const kind = knownKind(item.kind);
    const planned = withIds(plannedBody(item, bodies), ids, idsToCome);
    const later = write === "link" ? [] : item.linksTo;
    // The second write of a created record has the form of an update.
    const scope = write === "create" ? item : { ...item, action: "update" as const, targetId: requiredId(item, ids) };
    const desired = fitted(kind, withoutLinks(planned, { later }), this.#options);
    return { desired, sent: formOf(kind, planned, { ...scope, later }, ids, this.#options) };
  }

  /** Sends nothing if the target's record differs only in left-out members. */
  async #writeBody(
    operation: WriteOperation,
    built: WriteBody,
    { body: sent, leftOut }: ReducedBody,
  ): Promise<OperationResult> {
    const { write, item } = operation;
    const { answers, ids, warn } = this.#options;
    const kind = knownKind(item.kind);
    const replaced = write === "update" ? item.replaces?.body : undefined;
    const isThere = leftOut.length > 0 && replaced !== undefined && haveSameContent(kind, sent, replaced);
    const unit = isThere ? undefined : await this.#unitOf(operation, { desired: built.desired, sent });
    const answer = unit && (await this.#send(unit));
    for (const warning of warnOfLeftOutMembers(kind, item.name, built.sent, leftOut)) warn(warning);
    if (answer === undefined) return { status: "done", action: "unchanged" };
    const targetId = requiredId(item, ids);
    const shared = sharedWith(answer, sent);
    answers.set(itemKey(item), isJsonObject(shared) ? shared : answer);
    const { warnings, lacksVital } = judgeAnswer(kind, item.name, { sent, stored: answer, replaced });
    for (const warning of warnings) warn(warning);
    return lacksVital ? { ...LACKS_VITAL, targetId } : { status: "done", action: item.action, targetId };
  }

  /** A delete is sent even if the record is gone: the server answers success, and the journal needs the entry. */
  async delete({ kind: kindName, name, sourceId, targetId, targetRecord }: Removal): Promise<void> {
    const { client, memory } = this.#options;
    const kind = knownKind(kindName);
    const key = memory.identify(recordKey(kindName, sourceId));
    if (targetRecord === undefined) throw new StackferryError("protocol", `"${name}" cannot be deleted`);
    const { body: expected } = targetRecord;
    const image = await this.#imageOf({ kind: kindName, id: targetId, name, body: expected });
    const unit: Unit = { key, name, kind, write: "delete", targetId, expected, details: { image } };
    if (kind.routes[client.identity.variant].get === undefined) {
      lookAt(unit)(await findInList(kind, targetId, this.#options), false);
    }
    await this.#send(unit);
  }

  async #unitOf({ write, item }: WriteOperation, { desired, sent: body }: WriteBody): Promise<Unit> {
    const { memory, ids, records, warn } = this.#options;
    const kind = knownKind(item.kind);
    const lacksLinks = write !== "link" && item.linksTo.length > 0;
    const settle = (stored: JsonObject): Settled => {
      const record = recordOf(item, records);
      const targetId = write === "create" ? stored["id"] : requiredId(item, ids);
      if (typeof targetId === "string") ids.set(kind.name, record.id, targetId);
      const children = mapAnswer(item, record, { ids, sent: body, stored });
      if (children === undefined) warn(warnOfOtherParts(kind, item.name));
      for (const { space, from, to } of children ?? []) ids.set(space, from, to);
      return settleWrite(item, record, { desired, stored, lacksLinks }, ids, memory);
    };
    const unit = { key: memory.identify(itemKey(item)), name: item.name, kind, write, body, settle };
    const content = recordFingerprint(kind, body);
    const marks = { content, ...(lacksLinks && write === "create" && { lacksLinks: true as const }) };
    if (write === "create") {
      const hosts = hostKeysOf(kind, body);
      return { ...unit, details: { ...marks, ...(hosts.length > 0 && { hosts }) } };
    }
    // The second write expects the answer to the first write, because somebody may have edited the record since.
    const expected = write === "link" ? this.#options.answers.get(itemKey(item)) : item.replaces?.body;
    const targetId = requiredId(item, ids);
    const kept = item.kept?.map((part) => part.key) ?? [];
    const losses = write === "link" ? {} : await this.#lossesOf(item, targetId, expected);
    return { ...unit, targetId, expected, details: { ...marks, ...(kept.length > 0 && { kept }), ...losses } };
  }

  async #lossesOf(
    { kind, name: newName, targetName: name = newName, dependents = [], mayHide }: PlanItem,
    id: string,
    body: JsonObject | undefined,
  ): Promise<Details> {
    const images = await Promise.all(dependents.map((record) => this.#imageOf(record)));
    return {
      ...(body && { image: await this.#imageOf({ kind, id, name, body }) }),
      ...(images.length > 0 && { dependents: images }),
      ...(mayHide && mayHide.settings.length > 0 && { mayLose: mayHide.settings }),
    };
  }

  async #imageOf({ kind: kindName, id, name, body }: StackRecord): Promise<Image> {
    const kind = knownKind(kindName);
    const redacted = await this.#options.redact(kind, body);
    const safeName = redacted.redactions.length === 0 ? name : kind.nameOf(redacted.body);
    return { key: recordKey(kindName, id), name: safeName, body: redacted.body, digest: recordFingerprint(kind, body) };
  }

  async #send(unit: Unit): Promise<JsonObject | undefined> {
    if (unit.write !== "create") return this.#sendJournalled(unit);
    const key = `${unit.kind.name} ${naturalKey(unit.kind, unit.body ?? {}) ?? ""}`;
    const turn = getOrMake(this.#turns, key, () => pLimit(1));
    try {
      return await turn(() => this.#sendJournalled(unit));
    } finally {
      // An import can write many thousand records, and would keep a turn for each.
      if (turn.activeCount + turn.pendingCount === 0) this.#turns.delete(key);
    }
  }

  /** Without an intent in the journal, the write is not sent. An error of the journal ends the run. */
  async #sendJournalled(unit: Unit): Promise<JsonObject | undefined> {
    const { journal } = this.#options.memory;
    const { key, kind } = unit;
    await this.#appendIntent(unit);
    try {
      const stored = await this.#request(unit);
      const targetId = typeof stored?.["id"] === "string" ? stored["id"] : (unit.targetId ?? "");
      const content = stored ? recordFingerprint(kind, stored) : "";
      const settled = stored && unit.settle?.(stored);
      await journal.append({ type: "done", at: this.#time(), key, write: unit.write, targetId, content, ...settled });
      return stored;
    } catch (error) {
      const code = isStoppedBeforeWrite(error) ? "interrupted" : isRefused(error) ? error.code : undefined;
      if (code !== undefined) {
        await journal.append({ type: "refused", at: this.#time(), key, write: unit.write, code });
      }
      throw error;
    }
  }

  async #appendIntent({ key, name, kind, write, targetId, details }: Unit): Promise<void> {
    const isUpdate = write === "update" || write === "link";
    const namesakes = isUpdate ? [] : [...this.#options.listed.namesakesOf(kind.name, name)];
    const about = { at: this.#time(), key, name, write, ...(targetId !== undefined && { targetId }) };
    const all = { ...about, ...details, ...(namesakes.length > 0 && { namesakes }) };
    await this.#options.memory.journal.append({ type: "intent", ...all });
  }

  /** After an attempt without an answer, `look` or `createOnce` finds out what the attempt has done. */
  async #request(unit: Unit): Promise<JsonObject | undefined> {
    const { client, signal } = this.#options;
    const { kind, targetId = "", body, expected } = unit;
    // A repeated create appends another intent, because later runs wait from the journal's last line on.
    if (unit.write === "create") return createOnce(unit, body ?? {}, this.#options, () => this.#appendIntent(unit));
    if (body !== undefined) return client.update(kind, targetId, body, { look: expected && lookAt(unit), signal });
    const isReadAlone = kind.routes[client.identity.variant].get !== undefined;
    await client.delete(kind, targetId, { signal, ...(isReadAlone && { look: lookAt(unit) }) });
    return undefined;
  }

  #time(): string {
    return new Date(this.#options.clock.now()).toISOString();
  }
}

const LACKS_VITAL: OperationResult = {
  status: "failed",
  code: "not-stored",
  message: "was written, but the target dropped a part that the record needs; the warnings name it",
};

function requiredId({ kind, sourceId, name }: PlanItem, ids: IdMap): string {
  const targetId = ids.get(kind, sourceId);
  if (targetId === undefined) throw new Error(`${kind} "${name}" has no id on the target`);
  return targetId;
}

function isRefused(error: unknown): error is StackferryError {
  if (error instanceof StackError) return error.failure.applied === "no";
  return error instanceof StackferryError && error.code === "changed-since";
}

/** Tells whether to send the write, or whether an attempt without an answer was carried out. */
function lookAt({ kind, name, body, expected = {} }: Unit): LookBeforeWrite {
  return (now, mayBeWritten) => {
    if (now === undefined) return mayBeWritten ? "done" : "send";
    if (haveSameContent(kind, now, expected)) return "send";
    if (!mayBeWritten) throw changedError(kind, name, body === undefined ? "deleted" : "overwritten");
    const isWritten = body !== undefined && judgeAnswer(kind, name, { sent: body, stored: now }).warnings.length === 0;
    if (isWritten) return "done";
    throw changedOrWrittenError(kind, name);
  };
}

function changedError(kind: ResourceKind, name: string, done: "deleted" | "overwritten"): StackferryError {
  const message = `somebody changed the ${kind.singular} "${name}" on the target during the run; it was not ${done}`;
  const hint = "Run the same command again: the new plan uses the current records.";
  return new StackferryError("changed-since", message, { hint });
}

function changedOrWrittenError(kind: ResourceKind, name: string): StackError {
  const message = `the answer to a write of the ${kind.singular} "${name}" was lost, and the record is neither as it was nor as it was sent: somebody may have changed it; it was not written again`;
  const hint = "Compare it, and run the same command again.";
  return new StackError("changed-since", message, { method: "GET", path: kind.name, applied: "unknown", hint });
}

/**
 * For a kind without a route for one record.
 * @throws StackferryError `list-incomplete` if the list may hide the record
 */
async function findInList(
  kind: ResourceKind,
  id: string,
  { client, signal }: Pick<WriterOptions, "client" | "signal">,
): Promise<JsonObject | undefined> {
  let isWhole = true;
  for await (const page of client.list(kind, signal, () => (isWhole = false))) {
    for (const { value } of page) {
      if (!isJsonObject(value)) continue;
      if (typeof value["id"] === "string" && isSameId(value["id"], id)) return value;
    }
  }
  if (isWhole) return undefined;
  const message = `the ${kind.singular} may still exist: the list of ${kind.name} shows fewer records than the stack counts`;
  throw new StackferryError("list-incomplete", message, { hint: "Delete it in the web interface." });
}
