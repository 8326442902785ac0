import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { ErrorCode } from "../../src/core/errors.ts";
import { findKind } from "../../src/kinds/registry.ts";
import { EARLY_EXTENDED, clientFor, exchanges, perform, replay, replayAlone, wordsOf } from "../support/replayed.ts";
import { refusal } from "../unit/client/support/clients.ts";

/** The newer ones are in extended-recordings.test.ts. */
const recordings = new Map(exchanges((number) => number < 300).map((each) => [`${each.number}-${each.name}`, each]));

/** Exchanges that are no operation of the client's, by number. */
const LEFT_OUT: Readonly<Record<number, string>> = {
  ...Object.fromEntries(EARLY_EXTENDED.map((number) => [number, "in extended-recordings.test.ts"])),
  7: "a webhook cannot be read alone, and the client does not try",
  31: "a page from the middle of a list; the client begins at the first",
  69: "a route that nothing of ours asks for",
  112: "the root route is no operation, and its answer holds the access key",
};

/** What the client makes of each refusal: its code, and its message or the end of it. */
const REFUSALS: Readonly<Record<number, readonly [ErrorCode, string]>> = {
  15: ["rejected", "Body validation failed: filters.0: Unrecognized key(s) in object: 'id'"],
  19: ["rejected", "Body validation failed: filters.0.id: Required"],
  32: ["rejected", "Query validation failed: limit: Number must be less than or equal to 1000"],
  36: ["rejected", 'Body validation failed: channels: Provide either "channel" or "channels"'],
  37: [
    "rejected",
    "Body validation failed: interval: Invalid enum value. Expected '1m' | '5m' | '15m' | '30m' | '1h' | '6h' | '12h' | '1d', received '2m'",
  ],
  38: ["rejected", "received 'over'"],
  39: [
    "rejected",
    'Body validation failed: channel.type: Invalid literal value, expected "webhook"; channel.webhookId: Required',
  ],
  40: ["rejected", "Webhook not found"],
  41: ["rejected", "Dashboard not found"],
  42: ["rejected", "Tile not found"],
  43: ["rejected", "Invalid dashboard ID"],
  47: ["rejected", "Body validation failed: name: String must contain at least 1 character(s)"],
  48: [
    "rejected",
    "Body validation failed: thresholdMax: thresholdMax is required for between/not_between threshold types",
  ],
  56: ["rejected", "Body validation failed: name: Required"],
  57: ["rejected", ""],
  58: ["rejected", "Could not find the following source IDs: 000000000000000000000000"],
  59: ["rejected", "Could not find the following connection IDs: 000000000000000000000000"],
  60: ["rejected", "Could not find the following onClick dashboard IDs: 000000000000000000000000"],
  61: [
    "rejected",
    "Body validation failed: tiles.1.id: Duplicate tile ID: same. Omit the ID to generate a unique one.",
  ],
  63: ["rejected", "Invalid JSON payload"],
  65: ["not-found", "GET /api/v2/dashboards/000000000000000000000000 was answered 404: Not Found"],
  66: ["rejected", "Params validation failed: id: Invalid ObjectId"],
  67: ["not-found", "PUT /api/v2/dashboards/000000000000000000000000 was answered 404: Not Found"],
  68: ["not-found", "GET /api/v2/alerts/000000000000000000000000 was answered 404: Alert not found"],
  70: ["unauthorized", "GET /api/v2/dashboards was answered 401: Unauthorized"],
  71: ["unauthorized", "GET /api/v2/dashboards was answered 401: Unauthorized"],
  72: ["unauthorized", "GET /api/v2/dashboards was answered 401: Unauthorized"],
  73: ["unavailable", "POST /api/v2/charts/series was answered 500: connect ECONNREFUSED 127.0.0.1:8123"],
  74: [
    "rejected",
    "Body validation failed: series: Series array cannot be empty; endTime: Required; startTime: Required",
  ],
  77: ["not-found", ": Alert not found"],
  103: ["rejected", ""],
  108: ["forbidden", "GET /api/v2/dashboards was answered 403: Forbidden"],
  109: ["forbidden", "GET /api/v2/alerts?limit=1000&offset=0 was answered 403: Forbidden"],
  202: ["rejected", "Body validation failed: tiles: Required"],
  208: ["rejected", "Body validation failed: filters.0: Unrecognized key(s) in object: 'extra'"],
  209: [
    "rejected",
    "Body validation failed: tags: Expected array, received null; containers: Expected array, received null; filters: Expected array, received null",
  ],
  222: ["rejected", "Body validation failed: thresholdMax: Expected number, received null"],
  223: ["rejected", "Body validation failed: scheduleOffsetMinutes: Expected number, received null"],
  224: ["rejected", "Body validation failed: scheduleOffsetMinutes: scheduleOffsetMinutes must be less than 5 minutes"],
  226: ["rejected", ""],
  229: ["rejected", "Body validation failed: Invalid input"],
  230: ["rejected", "Could not find the following source IDs: 6b00df85a93eab4bd026b4a9, 6b00df85a93eab4bd026b4a5"],
};

/** The stack's limit was reached: not an answer to hand on, but one to wait for and ask again. */
const LIMITED = [110, 111];

const numberOf = (name: string): number => Number.parseInt(name, 10);
const ours = [...recordings].filter(([name]) => LEFT_OUT[numberOf(name)] === undefined);
const refused = ours.filter(([name]) => REFUSALS[numberOf(name)] !== undefined);
const limited = ours.filter(([name]) => LIMITED.includes(numberOf(name)));
const answered = ours.filter(([, { response }]) => response.status === 200);
const alreadyGone = ours.filter(([, { request, response }]) => request.method === "DELETE" && response.status === 404);

replayAlone();

describe("the recorded answers", () => {
  test.each(answered)("%s is decoded", async (_, exchange) => {
    await using client = clientFor();
    const scope = replay(exchange);
    const value = await perform(client, exchange);
    expect(value).toEqual(
      exchange.request.method === "DELETE" ? undefined : z.looseObject({}).parse(exchange.response.body)["data"],
    );
    expect(scope.isDone()).toBe(true);
    expect(client.requestCounts()).toEqual({ total: 1, retried: 0, rateLimited: 0, waitedMs: 0 });
  });

  test.each(alreadyGone)("%s is success", async (_, exchange) => {
    await using client = clientFor();
    replay(exchange);
    await expect(perform(client, exchange)).resolves.toBeUndefined();
  });

  test.each(refused)("%s is refused with its code and message", async (name, exchange) => {
    await using client = clientFor();
    replay(exchange);
    const { code, message, failure } = await refusal(perform(client, exchange));
    const [expectedCode, ending] = REFUSALS[numberOf(name)] ?? never();
    expect(code).toBe(expectedCode);
    expect(message.endsWith(ending), message).toBe(true);
    expect(message).toContain(wordsOf(exchange));
    expect(failure).toMatchObject({ method: exchange.request.method, status: exchange.response.status, applied: "no" });
  });

  test.each(limited)("%s is waited for, as long as RateLimit-Reset says", async (_, exchange) => {
    await using client = clientFor();
    replay(exchange);
    replay({
      ...exchange,
      response: { status: 200, headers: { "content-type": "application/json" }, body: { data: [] } },
    });
    await expect(perform(client, exchange)).resolves.toEqual([]);
    const waitedMs = Number(exchange.response.headers["ratelimit-reset"]) * 1000;
    expect(waitedMs).toBeGreaterThan(0);
    expect(client.requestCounts()).toEqual({ total: 2, retried: 1, rateLimited: 1, waitedMs });
  });

  test("are all used, or left out for a reason", () => {
    const used = [...answered, ...alreadyGone, ...refused, ...limited].map(([name]) => name);
    const leftOut = [...recordings.keys()].filter((name) => LEFT_OUT[numberOf(name)] !== undefined);
    expect(recordings.size).toBe(114);
    expect(leftOut).toHaveLength(Object.keys(LEFT_OUT).length);
    expect([...used, ...leftOut].sort()).toEqual([...recordings.keys()].sort());
    expect(new Set(used).size).toBe(used.length);
  });
});

test("a call that nothing replays is refused, and nothing leaves the machine", async () => {
  await using client = clientFor();
  const dashboards = findKind("dashboards") ?? never();
  const error = await refusal(client.get(dashboards, "1"));
  expect(error).toMatchObject({ code: "unreachable", failure: { applied: "no" } });
  expect(String(error)).toContain("ENETUNREACH");
});

function never(): never {
  throw new Error("the recording is not as expected");
}
