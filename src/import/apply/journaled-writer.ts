import pLimit from "p-limit";
import { getOrMake } from "../../core/collections.ts";
import { StackError, StackferryError, isStoppedBeforeWrite } from "../../core/errors.ts";
import type { EntryOf, Image, Journal, JournalWrite, Settled } from "../../core/plan/journal.ts";
import { isJsonObject, type JsonObject } from "../../core/json.ts";
import type { LookBeforeWrite, StackClient } from "../../core/ports.ts";
import { recordKey, type RecordKey, type StackRecord } from "../../core/records/record.ts";
import { knownKind } from "../../kinds/registry.ts";
import type { ResourceKind } from "../../core/resource-kind.ts";
import { naturalKey } from "../../matching/match-records.ts";
import type { Redactor } from "../../redaction/redactor.ts";
import { haveSameContent, recordFingerprint } from "../../references/record-content.ts";
import { hostKeysOf } from "../../references/references.ts";
import { warnOfChangedMembers } from "../compare-answer.ts";
import { LostCreateFinder, type LostCreateFinderOptions } from "./lost-create.ts";

/**
 * Maximum number of sends of a create. The create is sent again only if its response was lost and the target's list shows no such
 * record.
 */
const MAX_SENDS = 3;

/** A record that is to be written, for the journal and for messages. */
export interface WriteSubject {
  readonly key: RecordKey;
  readonly name: string;
  readonly kind: ResourceKind;
  /** The parts that an update leaves as they are on the target. */
  readonly kept?: readonly string[] | undefined;
  /** The target's records that the server may delete with an update. */
  readonly dependents?: readonly StackRecord[] | undefined;
  /** Names of children whose settings an update may delete, because no answer shows them. */
  readonly mayLose?: readonly string[] | undefined;
  /** True if a later write adds links to a created record. */
  readonly lacksLinks?: boolean;
  /** Takes the answer to a create or an update. Returns what the write has settled. */
  readonly settle?: (stored: JsonObject) => Settled;
}

export interface JournaledWriterOptions extends LostCreateFinderOptions {
  readonly journal: Journal;
  /** Redacts the body that an update replaces or a removal deletes: no line of a journal holds a secret. */
  readonly redact: Redactor;
  /** Stops the writes that still wait to be sent. A write that was sent is finished. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Writes to a stack so that nothing is written twice. The journal records each write before and after it. If the response to a
 * create is lost, the target's list is searched before the create is sent again. Creates are not idempotent, because the server
 * makes a new id each time (docs/api.md#envelopes), and names may repeat (docs/api.md#dashboards).
 */
export class JournaledWriter {
  readonly #options: JournaledWriterOptions;
  readonly #lostCreates: LostCreateFinder;
  /**
   * Runs creates with one natural key one after another: if the responses of two such creates were lost, nothing would tell their
   * records apart (docs/api.md#dashboards). Also runs the updates and deletes of one record one after another.
   */
  readonly #turns = new Map<string, ReturnType<typeof pLimit>>();

  constructor(options: JournaledWriterOptions) {
    this.#options = options;
    this.#lostCreates = new LostCreateFinder(options);
  }

  /** Creates a record exactly once and returns it as stored. */
  async create(subject: WriteSubject, body: JsonObject): Promise<JsonObject & { readonly id: string }> {
    const { kind, name, lacksLinks } = subject;
    const natural = `${kind.name} ${naturalKey(kind, body) ?? ""}`;
    const hosts = [...new Set(hostKeysOf(kind, body))];
    const intent = {
      content: recordFingerprint(kind, body),
      ...this.#namesakesOf(kind, name),
      ...(hosts.length > 0 && { hosts }),
      ...(lacksLinks === true && { lacksLinks }),
    };
    return this.#inTurn(natural, () =>
      this.#writeJournalled(subject, "create", intent, async () => {
        // Before a create is sent again, a second journal line is written: it tells later runs that the stack may have carried out
        // both creates.
        const stored = await this.#createOnce(subject, body, () => this.#journalIntent(subject, "create", intent));
        const { id } = stored;
        if (typeof id === "string" && id !== "") return { ...stored, id };
        const message = `the stack stored the ${subject.kind.singular} "${subject.name}" but its answer has no id`;
        throw new StackferryError("protocol", message, {
          hint: "Run the same import again: it recognises the records that exist.",
        });
      }),
    );
  }

  /**
   * Updates a record. Looks at it right before the update is sent, and again before each repetition.
   * @param expected the target's record when the plan was made. If the record has changed since, nothing is written
   * (`changed-since`). Undefined for a record that this run has just created
   */
  async update(
    subject: WriteSubject,
    write: "update" | "link",
    targetId: string,
    body: JsonObject,
    expected?: JsonObject,
  ): Promise<JsonObject> {
    const { client, signal } = this.#options;
    const { kind, name, kept = [], dependents = [], mayLose = [] } = subject;
    return this.#inTurn(`${kind.name} id ${targetId.toLowerCase()}`, async () => {
      const replaced = { kind: kind.name, id: targetId, name, body: expected ?? {} };
      const images = await Promise.all(dependents.map((record) => this.#imageOf(record)));
      const intent = {
        targetId,
        content: recordFingerprint(kind, body),
        ...(write === "update" && expected && { image: await this.#imageOf(replaced) }),
        ...(kept.length > 0 && { kept }),
        ...(images.length > 0 && { dependents: images }),
        ...(write === "update" && mayLose.length > 0 && { mayLose }),
      };
      const look = expected && refuseChanged(subject, expected, body);
      return this.#writeJournalled(subject, write, intent, () => client.update(kind, targetId, body, { look, signal }));
    });
  }

  /**
   * Deletes a record. Looks at it right before the delete is sent, because a delete cannot be undone and the record may have changed
   * since it was listed. The delete is sent even if the record no longer exists: the server answers success, and the journal needs
   * the entry.
   * @param expected the target's record when the plan was made. If the record has changed since, it is not deleted
   * (`changed-since`)
   */
  async delete(subject: WriteSubject, targetId: string, expected: JsonObject): Promise<void> {
    const { client, signal } = this.#options;
    const { kind, name } = subject;
    const image = await this.#imageOf({ kind: kind.name, id: targetId, name, body: expected });
    const look = refuseChanged(subject, expected);
    const isReadAlone = kind.routes[client.identity.variant].get !== undefined;
    if (!isReadAlone) look(await findInList(kind, targetId, client), false);
    const options = { signal, ...(isReadAlone && { look }) };
    const intent = { targetId, image, ...this.#namesakesOf(kind, name) };
    await this.#writeJournalled(subject, "delete", intent, () => client.delete(kind, targetId, options));
  }

  /** Makes the image of a record of the target: without secrets, and with a digest of it as it is. */
  async #imageOf({ kind: kindName, id, name, body }: StackRecord): Promise<Image> {
    const kind = knownKind(kindName);
    const redacted = await this.#options.redact(kind, body);
    return { key: recordKey(kindName, id), name, body: redacted.body, digest: recordFingerprint(kind, body) };
  }

  /** Lists the ids of the target's records of one name. A record without a name has no namesakes: its content tells it apart. */
  #namesakesOf(kind: ResourceKind, name: string): Pick<EntryOf<"intent">, "namesakes"> {
    const present = name.trim() === "" ? [] : [...(this.#options.present.get(kind.name) ?? [])];
    const namesakes = present.flatMap(([id, called]) => (called.trim() === name.trim() ? [id] : []));
    return namesakes.length > 0 ? { namesakes } : {};
  }

  async #inTurn<Result>(key: string, write: () => Promise<Result>): Promise<Result> {
    const turn = getOrMake(this.#turns, key, () => pLimit(1));
    try {
      return await turn(write);
    } finally {
      // An import can write many thousand records.
      if (turn.activeCount + turn.pendingCount === 0) this.#turns.delete(key);
    }
  }

  async #createOnce(subject: WriteSubject, body: JsonObject, beforeRepeat: () => Promise<void>): Promise<JsonObject> {
    const { client, signal } = this.#options;
    for (let sends = 1; ; sends += 1) {
      try {
        const stored = await client.create(subject.kind, body, signal);
        if (typeof stored["id"] === "string") this.#lostCreates.claim(subject.kind, stored["id"]);
        return stored;
      } catch (error) {
        // If the server refuses the repeated create as a duplicate, it carried out the first create, even if the list does not show
        // the record yet.
        const isProof = sends > 1 && isRefusedAsTaken(error, subject.kind);
        if (!isLost(error) && !isProof) throw error;
        const created = await this.#lookFor(subject, body, error);
        if (created) return created;
        if (sends === MAX_SENDS || isProof) throw isProof ? unlistedRecordError(subject, error) : error;
        await beforeRepeat();
      }
    }
  }

  /**
   * Searches for the record of a lost create. If the search fails as well, throws an error which says that nobody knows whether the
   * record was created.
   */
  async #lookFor(subject: WriteSubject, body: JsonObject, lost: StackError): Promise<JsonObject | undefined> {
    const { signal } = this.#options;
    try {
      return await this.#lostCreates.find(subject.kind, body, signal);
    } catch (cause) {
      const code = signal?.aborted ? "interrupted" : cause instanceof StackferryError ? cause.code : lost.code;
      const why =
        code === "create-unknown" && cause instanceof Error ? `${lost.message}, and ${cause.message}` : lost.message;
      const message = `nothing tells whether the ${subject.kind.singular} "${subject.name}" was created: ${why}`;
      const hint = "Run the same import again: it looks for the record before it sends anything.";
      throw new StackError(code, message, { ...lost.failure, cause, hint, applied: "unknown" });
    }
  }

  async #journalIntent({ key, name }: WriteSubject, write: JournalWrite, more: IntentDetails): Promise<void> {
    await this.#options.journal.append({ type: "intent", at: this.#timeStamp(), key, name, write, ...more });
  }

  async #writeJournalled<Stored extends JsonObject | void>(
    subject: WriteSubject,
    write: JournalWrite,
    more: IntentDetails,
    run: () => Promise<Stored>,
  ): Promise<Stored> {
    const { journal } = this.#options;
    const { key, kind } = subject;
    await this.#journalIntent(subject, write, more);
    try {
      const stored = await run();
      const id = stored?.["id"];
      const targetId = typeof id === "string" ? id : (more.targetId ?? "");
      const content = stored ? recordFingerprint(kind, stored) : "";
      const settled = stored && subject.settle?.(stored);
      await journal.append({ type: "done", at: this.#timeStamp(), key, write, targetId, content, ...settled });
      return stored;
    } catch (error) {
      const code = isStoppedBeforeWrite(error) ? "interrupted" : isRefused(error) ? error.code : undefined;
      if (code !== undefined) await journal.append({ type: "refused", at: this.#timeStamp(), key, write, code });
      throw error;
    }
  }

  #timeStamp(): string {
    return new Date(this.#options.clock.now()).toISOString();
  }
}

type IntentDetails = Omit<EntryOf<"intent">, "type" | "at" | "key" | "name" | "write">;

/** Tells whether the server may have carried out the write although no response came. */
function isLost(error: unknown): error is StackError {
  return error instanceof StackError && error.failure.applied === "unknown";
}

/** Tells whether the write was certainly not carried out: the server refused it, or the look before it did. */
function isRefused(error: unknown): error is StackferryError {
  if (error instanceof StackError) return error.failure.applied === "no";
  return error instanceof StackferryError && error.code === "changed-since";
}

function isRefusedAsTaken(error: unknown, { refusedAsTaken }: ResourceKind): error is StackError {
  if (!(error instanceof StackError) || error.code !== "rejected") return false;
  return refusedAsTaken?.test(`${error.message} ${error.failure.excerpt ?? ""}`) ?? false;
}

function unlistedRecordError({ kind, name }: WriteSubject, refusal: StackError): StackError {
  const message = `the stack refuses a second ${kind.singular} "${name}", so there is one, but the list of the stack does not show it yet`;
  const hint = "Run the same import again: it looks for the record before it sends anything.";
  return new StackError("create-unknown", message, { ...refusal.failure, hint, applied: "unknown" });
}

/**
 * Returns the look before a write, which refuses the write of a record that somebody has changed since the plan.
 * @param sent the body of an update; undefined for a delete
 */
function refuseChanged(subject: WriteSubject, expected: JsonObject, sent?: JsonObject): LookBeforeWrite {
  const { kind, name } = subject;
  return (now, mayBeWritten) => {
    if (now === undefined) return mayBeWritten ? "done" : "send";
    if (haveSameContent(kind, now, expected)) return "send";
    if (!mayBeWritten) throw changedError(subject, sent === undefined ? "deleted" : "overwritten");
    if (sent !== undefined && warnOfChangedMembers(kind, name, sent, now).length === 0) return "done";
    throw changedOrWrittenError(subject);
  };
}

function changedError({ kind, name }: WriteSubject, done: "deleted" | "overwritten"): StackferryError {
  const message = `somebody changed the ${kind.singular} "${name}" on the target during the run; it was not ${done}`;
  const hint = "Run the same command again: the new plan uses the current records.";
  return new StackferryError("changed-since", message, { hint });
}

function changedOrWrittenError({ kind, name }: WriteSubject): StackError {
  const message = `the answer to a write of the ${kind.singular} "${name}" was lost, and the record is neither as it was nor as it was sent: somebody may have changed it; it was not written again`;
  const hint = "Compare it, and run the same command again.";
  return new StackError("changed-since", message, { method: "GET", path: kind.name, applied: "unknown", hint });
}

/** Finds a record's body in the list, for a kind without a route for one record; undefined if the record no longer exists. */
async function findInList(kind: ResourceKind, id: string, client: StackClient): Promise<JsonObject | undefined> {
  let isWhole = true;
  for await (const page of client.list(kind, undefined, () => (isWhole = false))) {
    for (const { value } of page) if (isJsonObject(value) && value["id"] === id) return value;
  }
  if (isWhole) return undefined;
  const message = `the ${kind.singular} may still exist: the list of ${kind.name} shows fewer records than the stack counts`;
  throw new StackferryError("list-incomplete", message, { hint: "Delete it in the web interface." });
}
