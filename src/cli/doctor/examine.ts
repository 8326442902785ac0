import { randomBytes } from "node:crypto";
import type { StackSettings } from "../../config/stacks/stack-settings.ts";
import { StackferryError, type ErrorCode } from "../../core/errors.ts";
import type { EventSink } from "../../core/events.ts";
import type { Repository, RequestCounts, StackClient } from "../../core/ports.ts";
import type { ResourceKind } from "../../core/resource-kind.ts";
import { foreignApiError, isListedEverywhere, missingRightError } from "../../kinds/list-answers.ts";
import { kinds } from "../../kinds/registry.ts";
import type { Session } from "../program/session.ts";
import { probeSources, type ProbedSource } from "./probe-sources.ts";
import { checkRepositoryKeys } from "../inputs/keys.ts";
import { openRepositoryFor, repositorySettingsFor } from "../inputs/repository.ts";
import { openClient } from "../inputs/stack.ts";

/** The doctor's findings about one kind. `left-out`: the stack's `kinds` do not have it, so nothing asks for it. */
export interface ExaminedKind {
  readonly kind: string;
  readonly status: "listed" | "not-offered" | "failed" | "not-tried" | "left-out";
  readonly count?: number;
  /** The number of records that the stack counts but does not list. */
  readonly hidden?: number;
  readonly code?: ErrorCode;
  readonly message?: string;
  readonly hint?: string;
}

/** The doctor's findings about one stack. */
export interface Examination {
  readonly settings: StackSettings;
  readonly kinds: readonly ExaminedKind[];
  readonly requests: RequestCounts;
  /** The rate limit that was reached, in the client's words. */
  readonly limit?: string;
  /** The sources that were asked for data (`--data`). */
  readonly data?: readonly ProbedSource[];
  /** The first error that the examination met. */
  readonly error?: StackferryError;
}

/** A stack that could not be examined, because its settings are wrong. */
export interface UnexaminedStack {
  /** The stack as the command line or the configuration names it. */
  readonly name: string;
  readonly error: StackferryError;
}

export interface ExaminedRepository {
  readonly name: string;
  /** The address of the repository; empty if unknown. */
  readonly address: string;
  readonly error?: StackferryError;
}

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

/**
 * Lists every kind of a stack in turn. Stops if the stack itself fails.
 * @param asksForData whether to ask the sources for data; a managed stack answers no such queries
 */
export async function examineStack(
  settings: StackSettings,
  session: Session,
  asksForData = false,
): Promise<Examination> {
  let limit: string | undefined;
  const events: EventSink = (event) => {
    if (event.type === "wait") limit = event.reason;
    session.events(event);
  };
  const tried: TriedKind[] = [];
  await using client = openClient(settings, session, { events, maxRetryBudgetMs: RETRY_BUDGET_MS });
  for (const kind of kinds) {
    session.signal.throwIfAborted();
    if (settings.kinds?.includes(kind.name) === false) {
      tried.push({ kind, examined: { kind: kind.name, status: "left-out" } });
      continue;
    }
    const isHopeless = tried.some((other) => hopelessError(other, client) !== undefined);
    tried.push(
      isHopeless
        ? { kind, examined: { kind: kind.name, status: "not-tried" } }
        : { kind, ...(await examineKind(kind, client, session.signal)) },
    );
  }
  const found = withForbiddenKinds(tried, client);
  const examined = found.map((one) => one.examined);
  const failureCodes = new Map(
    examined
      .filter(({ status }) => !["not-tried", "left-out"].includes(status))
      .map(({ kind, status, code }) => [kind, status === "not-offered" ? status : code]),
  );
  // If the server offers no route that needs the key, nothing proves that the server has this API.
  const error =
    foreignApiError(client.identity, kinds, failureCodes) ??
    found.map((one) => hopelessError(one, client)).find((hopeless) => hopeless !== undefined) ??
    found.find((one) => one.error !== undefined)?.error;
  const canAnswer = error === undefined && settings.identity.variant === "self-hosted";
  const data = asksForData ? (canAnswer ? await probeSources(client, session.io.now(), session) : []) : undefined;
  return { settings, kinds: examined, requests: client.requestCounts(), limit, data, error };
}

interface TriedKind {
  readonly kind: ResourceKind;
  readonly examined: ExaminedKind;
  readonly error?: StackferryError;
}

/** Returns the error of a kind if another request would fail as well. A 401 of a kind that deployments may lack proves nothing. */
function hopelessError({ kind, error }: TriedKind, { identity }: StackClient): StackferryError | undefined {
  if (error === undefined || !HOPELESS.includes(error.code)) return undefined;
  return missingRightError(kind, identity.variant, error) === undefined ? error : undefined;
}

/** Marks the kinds that this key may not read. If no kind was read, the key itself may be wrong, so the errors stay as they are. */
function withForbiddenKinds(tried: readonly TriedKind[], { identity }: StackClient): readonly TriedKind[] {
  if (!tried.some(({ examined }) => examined.status === "listed")) return tried;
  return tried.map((one) => {
    const error = one.error && missingRightError(one.kind, identity.variant, one.error);
    return error === undefined ? one : { ...one, examined: failedKind(one.kind, error), error };
  });
}

function failedKind({ name }: ResourceKind, { code, message, hint }: StackferryError): ExaminedKind {
  return { kind: name, status: "failed", code, message, ...(hint !== undefined && { hint }) };
}

async function examineKind(
  kind: ResourceKind,
  client: StackClient,
  signal: AbortSignal,
): Promise<{ readonly examined: ExaminedKind; readonly error?: StackferryError }> {
  const { name } = kind;
  try {
    return { examined: { kind: name, status: "listed", ...(await countListed(kind, client, signal)) } };
  } catch (error) {
    if (!(error instanceof StackferryError) || error.code === "interrupted") throw error;
    return isLacking(kind, error, client)
      ? { examined: { kind: name, status: "not-offered" } }
      : { examined: failedKind(kind, error), error };
  }
}

/** Tells whether the deployment lacks a kind that not every deployment has. */
function isLacking(kind: ResourceKind, { code }: StackferryError, { identity }: StackClient): boolean {
  return code === "not-offered" && !isListedEverywhere(kind, identity.variant);
}

type Counted = Pick<ExaminedKind, "count" | "hidden">;

async function countListed(kind: ResourceKind, client: StackClient, signal: AbortSignal): Promise<Counted> {
  let count = 0;
  let hidden = 0;
  for await (const page of client.list(kind, signal, (gap) => (hidden = gap.hidden))) count += page.length;
  return { count, ...(hidden > 0 && { hidden }) };
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
    if ((await repository.readText(name)) !== token) {
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
