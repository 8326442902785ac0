import { getOrMake } from "../../core/collections.ts";
import { StackError, StackferryError, type ErrorCode } from "../../core/errors.ts";
import { isJsonObject, type JsonObject } from "../../core/json.ts";
import type { KindName, StackRecord } from "../../core/records/record.ts";
import type { ResourceKind } from "../../core/resource-kind.ts";
import type { Clock, StackClient } from "../../core/ports.ts";
import { naturalKey } from "../../matching/match-records.ts";
import { foldedKey } from "../../references/known-ids.ts";
import { haveSameContent } from "../../references/record-content.ts";

export interface ListReadOptions {
  readonly client: StackClient;
  readonly clock: Clock;
  /** Longest time, in milliseconds, until the target's lists show a write. */
  readonly consistencyWaitMs: number;
}

/** Milliseconds; doubled after each read. */
export const FIRST_PAUSE_MS = 250;

export interface LostCreateSearch extends ListReadOptions {
  /** The records that a lost create cannot have made. */
  readonly listed: ListedRecords;
  readonly signal?: AbortSignal | undefined;
}

/** A create is sent again only if its response was lost and the target's list shows no such record. */
const MAX_SENDS = 3;

export async function createOnce(
  created: CreatedRecord,
  body: JsonObject,
  options: LostCreateSearch,
  beforeRepetition: () => Promise<void>,
): Promise<JsonObject> {
  const { kind, name } = created;
  for (let sends = 1; ; sends += 1) {
    try {
      const stored = await options.client.create(kind, body, options.signal);
      if (typeof stored["id"] !== "string" || stored["id"] === "") throw noIdError(created);
      options.listed.add(kind.name, stored["id"], name);
      return stored;
    } catch (error) {
      if (!(error instanceof StackferryError) || (sends === 1 && !isLost(error))) throw error;
      // The refusal of a repeated create does not tell whether the first create was carried out.
      if (!isLost(error)) throw unknownCreateError("create-unknown", created, error.message, error);
      const found = await lookFor(created, body, error, options);
      if (found) return found;
      if (sends === MAX_SENDS) throw error;
      await beforeRepetition();
    }
  }
}

interface CreatedRecord {
  readonly kind: ResourceKind;
  readonly name: string;
}

async function lookFor(
  created: CreatedRecord,
  body: JsonObject,
  lost: StackError,
  options: LostCreateSearch,
): Promise<JsonObject | undefined> {
  try {
    return await findLostCreate(created.kind, body, options);
  } catch (cause) {
    const code = options.signal?.aborted ? "interrupted" : cause instanceof StackferryError ? cause.code : lost.code;
    const why =
      code === "create-unknown" && cause instanceof Error ? `${lost.message}, and ${cause.message}` : lost.message;
    throw unknownCreateError(code, created, why, cause);
  }
}

function unknownCreateError(code: ErrorCode, { kind, name }: CreatedRecord, why: string, cause: unknown): StackError {
  const message = `nothing tells whether the ${kind.singular} "${name}" was created: ${why}`;
  const hint = "Run the same import again: it looks for the record before it sends anything.";
  return new StackError(code, message, { method: "POST", path: kind.name, cause, hint, applied: "unknown" });
}

/** The server may have carried out the write although no response came. */
function isLost(error: unknown): error is StackError {
  return error instanceof StackError && error.failure.applied === "unknown";
}

function noIdError({ kind, name }: CreatedRecord): StackferryError {
  const message = `the stack stored the ${kind.singular} "${name}" but its answer has no id`;
  const hint = "Run the same import again: it recognises the records that exist.";
  return new StackferryError("protocol", message, { hint });
}

type ListedBody = JsonObject & { readonly id: string };

/**
 * At the deadline, a single new record with the natural key counts, because a server may store content in another form.
 * @throws StackferryError `create-unknown` if several new records have the key
 */
async function findLostCreate(
  kind: ResourceKind,
  sent: JsonObject,
  search: LostCreateSearch,
): Promise<JsonObject | undefined> {
  const { listed, clock, consistencyWaitMs, signal } = search;
  const deadline = clock.now() + consistencyWaitMs;
  for (let pause = FIRST_PAUSE_MS; ; pause *= 2) {
    const fresh = await unclaimedRecords(kind, search);
    let found = fresh.find((body) => haveSameContent(kind, body, sent));
    const timeLeft = deadline - clock.now();
    if (found === undefined && timeLeft <= 0) {
      const key = naturalKey(kind, sent);
      const alike = fresh.filter((body) => key !== undefined && naturalKey(kind, body) === key);
      // Nothing tells which record the create made, so the create must not be sent again.
      if (alike.length > 1) {
        const message = `${alike.length} new ${kind.name} of the target could be the created one`;
        throw new StackferryError("create-unknown", message);
      }
      [found] = alike;
    }
    if (found !== undefined) listed.add(kind.name, found.id, kind.nameOf(found));
    if (found !== undefined || timeLeft <= 0) return found;
    await clock.sleep(Math.min(pause, timeLeft), signal);
  }
}

async function unclaimedRecords(
  kind: ResourceKind,
  { client, listed, signal }: LostCreateSearch,
): Promise<ListedBody[]> {
  const fresh: ListedBody[] = [];
  for await (const page of client.list(kind, signal, ignoreGap)) {
    for (const { value: body } of page) {
      if (!isJsonObject(body) || typeof body["id"] !== "string") continue;
      const { id } = body;
      if (!listed.has(kind.name, id)) fresh.push({ ...body, id });
    }
  }
  return fresh;
}

/** A list shows the records that the API itself accepted. */
const ignoreGap = (): void => {};

export class ListedRecords {
  readonly #keys = new Set<string>();
  readonly #idsByName = new Map<string, string[]>();

  constructor(records: readonly StackRecord[]) {
    for (const { kind, id, name } of records) this.add(kind, id, name);
  }

  add(kind: KindName, id: string, name: string): void {
    this.#keys.add(foldedKey(kind, id));
    if (name.trim() !== "") getOrMake(this.#idsByName, nameKey(kind, name), () => []).push(id);
  }

  has(kind: KindName, id: string): boolean {
    return this.#keys.has(foldedKey(kind, id));
  }

  /** A record without a name has no namesakes: its content tells it apart. */
  namesakesOf(kind: KindName, name: string): readonly string[] {
    return this.#idsByName.get(nameKey(kind, name)) ?? [];
  }
}

function nameKey(kind: KindName, name: string): string {
  return `${kind} ${name.trim()}`;
}
