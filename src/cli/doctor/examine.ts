import { randomBytes } from "node:crypto";
import type { StackSettings } from "../../config/stacks/stack-settings.ts";
import { messageWithHint, StackferryError, type ErrorCode } from "../../core/errors.ts";
import type { EventSink, RunContext } from "../../core/events.ts";
import { isJsonObject, objectsIn, type JsonObject } from "../../core/json.ts";
import { textOfMember } from "../../kinds/descriptor-parts.ts";
import type { Repository, RequestCounts, StackClient } from "../../core/ports.ts";
import type { ResourceKind } from "../../core/resource-kind.ts";
import { foreignApiError, isListedEverywhere, missingRightError } from "../../kinds/list-answers.ts";
import { kinds } from "../../kinds/registry.ts";
import type { Session } from "../program/session.ts";
import { checkRepositoryKeys } from "../inputs/keys.ts";
import { openRepositoryFor, repositorySettingsFor } from "../inputs/repository.ts";
import { openClient } from "../inputs/stack.ts";

/** `left-out`: the setting `kinds` of the stack lacks the kind. */
export interface ExaminedKind {
  readonly kind: ResourceKind;
  readonly status: "listed" | "not-offered" | "failed" | "not-tried" | "left-out";
  readonly count?: number;
  /** The number of records that the stack counts but does not list. */
  readonly hidden?: number;
  readonly error?: StackferryError;
}

export interface Examination {
  readonly settings: StackSettings;
  readonly kinds: readonly ExaminedKind[];
  readonly requests: RequestCounts;
  /** The reason for the client's last pause, such as a reached rate limit. */
  readonly limit?: string;
  readonly data?: readonly ProbedSource[];
  /** The gravest error, not the first. */
  readonly error?: StackferryError;
}

export interface UnexaminedStack {
  readonly name: string;
  readonly error: StackferryError;
}

export interface ExaminedRepository {
  readonly name: string;
  readonly address: string;
  readonly error?: StackferryError;
}

/** `doctor` reports the current state, so long retries make no sense. */
const RETRY_BUDGET_MS = 5000;

/** After these errors, another request would fail as well. */
const HOPELESS: readonly ErrorCode[] = [
  "unauthorized",
  "unreachable",
  "unavailable",
  "rate-limited",
  "protocol",
  "config",
];

/** @param asksForData sets `data`, which is empty for a managed stack, because it answers no queries */
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
  const tried: ExaminedKind[] = [];
  const sources: QueriedSource[] = [];
  await using client = openClient(settings, session, { events, maxRetryBudgetMs: RETRY_BUDGET_MS });
  for (const kind of kinds) {
    session.signal.throwIfAborted();
    if (settings.kinds?.includes(kind.name) === false) tried.push({ kind, status: "left-out" });
    else if (tried.some((other) => isHopeless(other, client))) tried.push({ kind, status: "not-tried" });
    else tried.push(await examineKind(kind, client, sources, session.signal));
  }
  const examined = withForbiddenKinds(tried, client);
  const failureCodes = new Map(
    examined
      .filter(({ status }) => !["not-tried", "left-out"].includes(status))
      .map(({ kind, status, error }) => [kind.name, status === "not-offered" ? status : error?.code]),
  );
  // A server that offers none of the required lists has another API, which is the gravest error.
  const error =
    foreignApiError(client.identity, kinds, failureCodes) ??
    examined.find((one) => isHopeless(one, client))?.error ??
    examined.find((one) => one.error !== undefined)?.error;
  const canAnswer = error === undefined && settings.identity.variant === "self-hosted";
  const data = asksForData
    ? canAnswer
      ? await probeSources(sources, client, session.io.now(), session)
      : []
    : undefined;
  return { settings, kinds: examined, requests: client.requestCounts(), limit, data, error };
}

/** For a kind that deployments may lack, a 401 is not hopeless: it does not prove that the key is wrong. */
function isHopeless({ kind, error }: ExaminedKind, { identity }: StackClient): boolean {
  if (error === undefined || !HOPELESS.includes(error.code)) return false;
  return missingRightError(kind, identity.variant, error) === undefined;
}

/** If no kind was listed, the key itself may be wrong, so the errors are not changed. */
function withForbiddenKinds(tried: readonly ExaminedKind[], { identity }: StackClient): readonly ExaminedKind[] {
  if (!tried.some(({ status }) => status === "listed")) return tried;
  return tried.map((one) => {
    const error = one.error && missingRightError(one.kind, identity.variant, one.error);
    return error === undefined ? one : { ...one, error };
  });
}

/** @param sources gets the listed records whose data can be queried */
async function examineKind(
  kind: ResourceKind,
  client: StackClient,
  sources: QueriedSource[],
  signal: AbortSignal,
): Promise<ExaminedKind> {
  let [count, hidden] = [0, 0];
  try {
    for await (const page of client.list(kind, signal, (gap) => (hidden = gap.hidden))) {
      count += page.length;
      for (const { value } of page)
        if (kind.queriedAs !== undefined && isJsonObject(value)) sources.push({ kind, body: value });
    }
    return { kind, status: "listed", count, ...(hidden > 0 && { hidden }) };
  } catch (error) {
    if (!(error instanceof StackferryError) || error.code === "interrupted") throw error;
    const isLacking = error.code === "not-offered" && !isListedEverywhere(kind, client.identity.variant);
    return isLacking ? { kind, status: "not-offered" } : { kind, status: "failed", error };
  }
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

/** Tries to list, write, read and remove a file, as a backup does. */
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

export interface ProbedSource {
  readonly name: string;
  readonly id: string;
  /** `empty`: no data of the last day. `not-asked`: the query must name a metric, and no metric is known. */
  readonly status: "data" | "empty" | "failed" | "not-asked";
  readonly code?: string;
  readonly message?: string;
}

/** Long enough for a source that is written once a day, short enough for a large table. */
const RANGE_MS = 24 * 3_600_000;

export interface QueriedSource {
  readonly kind: ResourceKind;
  readonly body: JsonObject;
}

/** A failed query is a result, not an error. */
export async function probeSources(
  sources: readonly QueriedSource[],
  client: StackClient,
  now: number,
  context: RunContext,
): Promise<ProbedSource[]> {
  context.events({ type: "phase", phase: "asking for data", total: sources.length });
  return Promise.all(
    sources.map(async ({ kind, body }): Promise<ProbedSource> => {
      const [id, name] = [textOfMember(body, "id"), kind.nameOf(body)];
      if (kind.queriedAs?.needsMetric(body) === true) return { name, id, status: "not-asked" };
      const member = kind.queriedAs?.member ?? "";
      const series = [{ [member]: id, aggFn: "count", where: "", whereLanguage: "lucene", groupBy: [] }];
      return { name, id, ...(await probe(series, now, client, context)) };
    }),
  );
}

async function probe(
  series: readonly JsonObject[],
  endTime: number,
  client: StackClient,
  { signal }: RunContext,
): Promise<Pick<ProbedSource, "status" | "code" | "message">> {
  try {
    const response = await client.querySeries(
      { startTime: endTime - RANGE_MS, endTime, granularity: "1h", series },
      signal,
    );
    return { status: holdsData(response) ? "data" : "empty" };
  } catch (error) {
    if (!(error instanceof StackferryError) || error.code === "interrupted") throw error;
    return { status: "failed", code: error.code, message: messageWithHint(error) };
  }
}

/** For an empty table, the stack returns rows without a count, or with a count of zero. */
function holdsData({ data }: JsonObject): boolean {
  return objectsIn(data).some((row) =>
    Object.entries(row).some(([member, count]) => member.startsWith("series_") && Number(count) > 0),
  );
}
