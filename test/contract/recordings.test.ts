import { describe, expect, test, afterAll, afterEach, beforeAll } from "vitest";
import { z } from "zod";
import type { ErrorCode } from "../../src/core/errors.ts";
import { isJsonObject, type JsonObject } from "../../src/core/json.ts";
import { findKind } from "../../src/kinds/registry.ts";
import { refusal } from "../unit/client/support/clients.ts";
import nock from "nock";
import { createStackClient } from "../../src/client/stack-client.ts";
import type { StackClient } from "../../src/core/ports.ts";
import { instantClock } from "../support/instant-clock.ts";
import { ACCESS_KEY, recordedExchanges, type RecordedExchange } from "../support/recorded-exchanges.ts";

// The client reads every recorded response. The conformance suite checks the sandbox with the same recordings.

/** Requests that the client never sends, each with the reason. */
const LEFT_OUT: readonly (readonly [because: string, request: RegExp])[] = [
  ["the root is no operation, and its answer holds the access key", /^GET $/],
  ["the team, its members and its invitations are not asked for", /^GET team/],
  ["rows of telemetry are not asked for", /search$/],
  ["a route that nothing of ours asks for", /^(?:PATCH|GET (?:nope|charts)|GET sources\/\w+\/tables)/],
  ["a webhook cannot be read alone, and the client does not try", /^GET webhooks\/\w/],
  ["validate is no record", /^GET dashboards\/validate$/],
  ["the client updates and deletes one record, never a collection", /^(?:PUT|DELETE) [\w-]+$/],
];

/** The recording in which a POST reads chart series. */
const QUERY = 73;

const listSchema = z.object({
  data: z.array(z.unknown()),
  meta: z.object({ total: z.number().optional(), skipped: z.number().optional() }),
});

/** Returns whether a response is one page of a longer list, which the client would read to its end. */
function isCut(each: Replayable): boolean {
  const { data = [], meta } = listSchema.safeParse(each.response.body).data ?? {};
  return meta?.total !== undefined && meta.total !== data.length;
}

/** Returns whether a list says that it does not show all records. */
function hasSkipped({ response }: Replayable): boolean {
  return listSchema.safeParse(response.body).data?.meta.skipped !== undefined;
}

/** Recorded responses for a router that no deployment has. */
const NO_ROUTER = [545, 546, 547, 548, 549];

const CODES: Readonly<Record<number, ErrorCode>> = {
  400: "rejected",
  401: "unauthorized",
  403: "forbidden",
  404: "not-found",
  409: "rejected",
  500: "unavailable",
};

const requestOf = ({ request }: Replayable): string => `${request.method} ${request.path.replace("/api/v2/", "")}`;
const isOurs = (each: Replayable): boolean =>
  NO_ROUTER.includes(each.number) || (!isCut(each) && !LEFT_OUT.some(([, request]) => request.test(requestOf(each))));
const isGone = ({ request, response }: Replayable): boolean => request.method === "DELETE" && response.status === 404;

const json = z.custom<JsonObject>((value) => z.looseObject({}).safeParse(value).success);
const answerBody = z.union([z.string(), json]);

const all = replayableExchanges();
const ours = all.filter(isOurs);
const unrouted = ours.filter(({ number }) => NO_ROUTER.includes(number));
const routed = ours.filter(({ number }) => !NO_ROUTER.includes(number));
const incomplete = routed.filter(hasSkipped);
const answered = routed.filter((each) => each.response.status === 200 && !hasSkipped(each));
const limited = routed.filter(({ response }) => response.status === 429);
const alreadyGone = routed.filter(isGone);
const refused = routed.filter((each) => CODES[each.response.status] !== undefined && !isGone(each));

replayAlone();

describe("the recorded answers", () => {
  test.each(answered)("$number $name is decoded", async (exchange) => {
    await using client = clientFor();
    const scope = replay(exchange);
    const value = await perform(client, exchange);
    const { data, ...bare } = z.looseObject({}).parse(exchange.response.body);
    const verdict = { valid: bare["valid"], errors: bare["errors"] };
    if (isJsonObject(bare["normalized"])) Object.assign(verdict, { normalized: bare["normalized"] });
    const expected = { POST: data ?? verdict, PUT: data, GET: data, DELETE: undefined }[exchange.request.method];
    expect(value).toEqual(expected);
    expect(scope.isDone()).toBe(true);
    expect(client.requestCounts()).toEqual({ total: 1, retried: 0, rateLimited: 0, waitedMs: 0 });
  });

  test.each(incomplete)("$number $name ends with an error that names the incomplete answer", async (exchange) => {
    await using client = clientFor();
    replay(exchange);
    expect(await refusal(perform(client, exchange))).toMatchObject({ code: "list-incomplete" });
  });

  test.each(alreadyGone)("$number $name is a success, as the record was already deleted", async (exchange) => {
    await using client = clientFor();
    replay(exchange);
    await expect(perform(client, exchange)).resolves.toBeUndefined();
  });

  test.each(refused)("$number $name is refused with its code and the server's words", async (exchange) => {
    await using client = clientFor();
    replay(exchange);
    const { code, message, failure } = await refusal(perform(client, exchange));
    const { method } = exchange.request;
    expect(code).toBe(CODES[exchange.response.status]);
    expect(message).toContain(wordsOf(exchange));
    const { status } = exchange.response;
    // After an error of the server, it is unknown whether the write was applied.
    const applied = status === 500 && method !== "GET" && exchange.number !== QUERY ? "unknown" : "no";
    expect(failure).toMatchObject({ method, status, applied });
  });

  test.each(limited)("$number $name makes the client wait as long as RateLimit-Reset says", async (exchange) => {
    await using client = clientFor();
    replay(exchange);
    const headers = { "content-type": "application/json" };
    replay({ ...exchange, response: { status: 200, headers, body: { data: [] } } });
    await expect(perform(client, exchange)).resolves.toEqual([]);
    const waitedMs = Number(exchange.response.headers["ratelimit-reset"]) * 1000;
    expect(waitedMs).toBeGreaterThan(0);
    expect(client.requestCounts()).toEqual({ total: 2, retried: 1, rateLimited: 1, waitedMs });
  });

  test.each(unrouted)("$number $name is reported as not offered for a supported kind", async ({ request, ...rest }) => {
    const path = request.path.replace("/saved-search", "/saved-searches");
    const exchange = { ...rest, request: { ...request, path } };
    await using client = clientFor();
    replay(exchange);
    const { code } = await refusal(perform(client, exchange));
    expect(code).toBe("not-offered");
  });

  test("are all used by a test, or left out for a reason", () => {
    const used = [...answered, ...incomplete, ...alreadyGone, ...refused, ...limited, ...unrouted].map(
      ({ number }) => number,
    );
    expect(all).toHaveLength(1109);
    expect(new Set(used).size).toBe(used.length);
    expect(used).toHaveLength(ours.length);
    expect(all.length - ours.length).toBe(54);
    for (const [because, request] of LEFT_OUT)
      expect(
        all.some((each) => request.test(requestOf(each))),
        because,
      ).toBe(true);
  });
});

test("a request without a recording is refused and not sent to the network", async () => {
  await using client = clientFor();
  const dashboards = findKind("dashboards");
  if (dashboards === undefined) throw new Error("there is no kind dashboards");
  const error = await refusal(client.get(dashboards, "1"));
  expect(error).toMatchObject({ code: "unreachable", failure: { applied: "no" } });
  expect(String(error)).toContain("ENETUNREACH");
});

const HOST = "http://stack.test:8000";

/** A recording with a response that nock can replay. */
type Replayable = RecordedExchange & { readonly response: { readonly body: string | JsonObject } };

function replayableExchanges(): readonly Replayable[] {
  return recordedExchanges().map((each) => ({
    ...each,
    response: { ...each.response, body: answerBody.parse(each.response.body) },
  }));
}

/** Blocks all other connections during the tests of a file, and removes the replayed responses after each test. */
function replayAlone(): void {
  beforeAll(() => {
    // Files share a process, and another file may have deactivated nock.
    if (!nock.isActive()) nock.activate();
    nock.disableNetConnect();
  });
  afterEach(() => nock.cleanAll());
  afterAll(() => {
    nock.enableNetConnect();
    nock.restore();
  });
}

function clientFor(): StackClient {
  const identity = { variant: "self-hosted", baseUrl: HOST } as const;
  return createStackClient({
    identity,
    credential: { apiKey: ACCESS_KEY },
    allowHttp: true,
    clock: instantClock(),
    retryBudgetMs: 0,
  });
}

/** Replays a recorded answer to the request that the client is expected to make. */
function replay({ request, response }: Replayable): nock.Scope {
  const [path = ""] = request.path.split("?");
  const body = bodyOf(request.body);
  return nock(HOST, { reqheaders: { authorization: `Bearer ${ACCESS_KEY}`, accept: "application/json" } })
    .intercept(path, request.method, body)
    .query(true)
    .reply(response.status, response.body, response.headers);
}

/**
 * Returns the body to send. Recording 63 sent something else than a JSON object, which the client cannot do, so an empty
 * object replaces it.
 */
function bodyOf(recorded: unknown): JsonObject | undefined {
  return recorded === undefined ? undefined : (json.safeParse(recorded).data ?? {});
}

/** Calls the client's operation for a recorded request. */
async function perform(client: StackClient, { request }: Replayable): Promise<unknown> {
  const [path = ""] = request.path.split("?");
  const [resource = "", id = ""] = path.replace("/api/v2/", "").split("/");
  const body = bodyOf(request.body) ?? {};
  if (resource === "charts") return client.querySeries(z.any().parse(body));
  const kind = findKind(resource);
  if (kind === undefined) throw new Error(`no kind ${resource}`);
  if (id === "validate" && request.method === "POST") return client.validate(kind, body);
  if (request.method === "POST") return client.create(kind, body);
  if (request.method === "PUT") return client.update(kind, id, body);
  if (request.method === "DELETE") return client.delete(kind, id);
  if (id !== "") return client.get(kind, id);
  const records: unknown[] = [];
  for await (const page of client.list(kind)) records.push(...page.map(({ value }) => value));
  return records;
}

/** Returns the server's message without control characters, as the client prints it. */
function wordsOf({ response: { body } }: Replayable): string {
  const words = typeof body === "string" ? body : (body["message"] ?? body["error"]);
  if (typeof words === "string") return words.replaceAll(/\p{Cc}/gu, "");
  throw new Error("the recording is not as expected");
}
