import type { StackSettings } from "../../config/stacks/stack-settings.ts";
import { StackferryError, rewordError, type ErrorCode } from "../../core/errors.ts";
import type { EventSink } from "../../core/events.ts";
import type { StackClient, Repository } from "../../core/ports.ts";
import type { ResourceKind } from "../../core/resource-kind.ts";
import { foreignApiError } from "../../kinds/list-answers.ts";
import { kinds } from "../../kinds/registry.ts";
import type { Examination, ExaminedKind, ExaminedRepository } from "../output/doctor.ts";
import type { Session } from "../program/session.ts";
import { openClient } from "../wiring/stack.ts";
import { randomBytes } from "node:crypto";
import { checkRepositoryKeys } from "../wiring/archive-keys.ts";
import { openRepositoryFor, repositorySettingsFor } from "../wiring/repository.ts";

/** `doctor` reports the current state, so it does not wait long for a stack that does not respond. */
const RETRY_BUDGET_MS = 5000;

/** Errors after which another request would fail as well. */
const HOPELESS: readonly ErrorCode[] = [
  "unauthorized",
  "unreachable",
  "unavailable",
  "rate-limited",
  "protocol",
  "config",
];

/** Lists every kind of a stack in turn, and reads the configured pipes one by one. Stops if the stack itself fails. */
export async function examineStack(settings: StackSettings, session: Session): Promise<Examination> {
  let limit: string | undefined;
  const events: EventSink = (event) => {
    if (event.type === "wait") limit = event.reason;
    session.events(event);
  };
  const examined: ExaminedKind[] = [];
  let error: StackferryError | undefined;
  await using client = openClient(settings, session, { events, maxRetryBudgetMs: RETRY_BUDGET_MS });
  for (const kind of kinds) {
    session.signal.throwIfAborted();
    if (error !== undefined && HOPELESS.includes(error.code)) {
      examined.push({ kind: kind.name, status: "not-tried" });
      continue;
    }
    const ids = kind.name === "pipes" ? settings.pipeIds : undefined;
    const examination = await examineKind(kind, ids, client, session.signal);
    examined.push(examination.examined);
    error ??= examination.error;
  }
  const failureCodes = new Map(
    examined
      .filter(({ status }) => status !== "not-tried" && status !== "by-id")
      .map(({ kind, status, code }) => [kind, status === "not-offered" ? status : code]),
  );
  // If the server offers no route that needs the key, nothing proves that the server has this API.
  error = foreignApiError(client.identity, kinds, failureCodes) ?? error;
  return { settings, kinds: examined, requests: client.requestCounts(), limit, error };
}

async function examineKind(
  kind: ResourceKind,
  ids: readonly string[] | undefined,
  client: StackClient,
  signal: AbortSignal,
): Promise<{ readonly examined: ExaminedKind; readonly error?: StackferryError }> {
  const { name } = kind;
  const byId = kind.listing === "by-id";
  if (byId && kind.routes[client.identity.variant].get === undefined) {
    return { examined: { kind: name, status: "not-offered" } };
  }
  const noIds = { examined: { kind: name, status: "by-id" } } as const;
  if (byId && ids?.length === 0) return noIds;
  try {
    const count =
      byId && ids !== undefined ? await readEach(kind, ids, client, signal) : await countListed(kind, client, signal);
    return { examined: { kind: name, status: "listed", ...count } };
  } catch (error) {
    if (!(error instanceof StackferryError) || error.code === "interrupted") throw error;
    const { code, message } = error;
    if (code === "not-offered" && byId && ids === undefined) return noIds;
    if (code === "not-offered") return { examined: { kind: name, status: "not-offered" } };
    return { examined: { kind: name, status: "failed", code, message }, error };
  }
}

type Counted = Pick<ExaminedKind, "count" | "hidden">;

async function countListed(kind: ResourceKind, client: StackClient, signal: AbortSignal): Promise<Counted> {
  let count = 0;
  let hidden = 0;
  for await (const page of client.list(kind, signal, (gap) => (hidden = gap.hidden))) count += page.length;
  return { count, ...(hidden > 0 && { hidden }) };
}

/** Reads each record by its id, and counts them. @throws StackferryError that names the first id that cannot be read */
async function readEach(
  kind: ResourceKind,
  ids: readonly string[],
  client: StackClient,
  signal: AbortSignal,
): Promise<Counted> {
  for (const id of ids) {
    try {
      await client.get(kind, id, signal);
    } catch (error) {
      if (!(error instanceof StackferryError) || error.code === "interrupted") throw error;
      const message = `the ${kind.singular} ${id} cannot be read: ${error.message}`;
      const hint = error.code === "not-found" ? `correct ${kind.singular}Ids in the configuration` : error.hint;
      throw rewordError(error, message, hint);
    }
  }
  return { count: ids.length };
}

export async function examineRepository(name: string, session: Session): Promise<ExaminedRepository> {
  session.events({ type: "phase", phase: `trying ${name}` });
  let address = "";
  try {
    await using repository = await openRepositoryFor(name, session);
    ({ address } = repository);
    await checkRepositoryKeys(await repositorySettingsFor(name, session), session);
    await tryRepository(repository, randomBytes(8).toString("hex"), session.signal);
    return { name, address };
  } catch (error) {
    if (!(error instanceof StackferryError) || error.code === "interrupted") throw error;
    return { name, address, error };
  }
}

/**
 * Lists, writes, reads and removes one small file: all operations that a backup needs.
 * @param token makes the file's name unique
 * @throws StackferryError that names the operation that failed
 */
export async function tryRepository(repository: Repository, token: string, signal: AbortSignal): Promise<void> {
  const name = `stackferry-doctor-${token}.txt`;
  await repository.list(name, signal);
  await repository.writeText(name, token);
  try {
    if ((await repository.readText(name))?.text !== token) {
      throw unreliableStoreError(`${repository.address} does not return what was written to it`);
    }
  } finally {
    await repository.remove(name);
  }
  if ((await repository.readText(name)) === undefined) return;
  throw unreliableStoreError(`${repository.address} still returns a file that was deleted`);
}

function unreliableStoreError(message: string): StackferryError {
  return new StackferryError("archive-io", message, {
    hint: "backups in it cannot be trusted: check the store itself",
  });
}
