import { describe, expect, test } from "vitest";
import { createStackClient } from "../../../src/client/stack-client.ts";
import type { StackClientOptions } from "../../../src/client/options.ts";
import type { RunEvent } from "../../../src/core/events.ts";
import type { ResourceKind } from "../../../src/core/resource-kind.ts";
import { API_KEY, clientOf, everythingIn, kindOf, listAll, refusal } from "./support/clients.ts";
import { instantClock } from "../../support/instant-clock.ts";
import { serve } from "./support/servers.ts";

const dashboards = kindOf("dashboards");
const alerts = kindOf("alerts");
const HTML_404 = "<!DOCTYPE html>\n<html><head><title>Error</title></head><body><pre>Cannot GET /x</pre></body></html>";

interface Reply {
  readonly status?: number;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Starts a stack that sends the given replies in turn, and repeats the last one. */
async function stackOf(...replies: readonly Reply[]) {
  const seen: string[] = [];
  const port = await serve((request, response) => {
    const { status = 200, body = "", headers = {} } = replies[Math.min(seen.length, replies.length - 1)] ?? {};
    seen.push(`${request.method} ${request.url}`);
    const type = body.startsWith("{") ? "application/json" : "text/plain";
    response.writeHead(status, { "content-type": type, ...headers }).end(body);
  });
  return { url: `http://127.0.0.1:${port}`, seen };
}

const managed = {
  credential: { keyId: "KEY-ID", keySecret: "KEY-SECRET" },
  organizationId: "5f0c2c1e-6a0e-4b7c-9a56-1f9a4c1d2e3f",
  serviceId: "0b7d4a52-8e1f-4f0a-9d0e-7a1b2c3d4e5f",
};

function managedClient(baseUrl: string, options: Partial<StackClientOptions> = {}) {
  const { credential, organizationId, serviceId } = managed;
  return clientOf(baseUrl, {
    identity: { variant: "managed", baseUrl, organizationId, serviceId },
    credential,
    ...options,
  });
}

describe("a managed stack", () => {
  const repository = `/v1/organizations/${managed.organizationId}/services/${managed.serviceId}`;

  test("returns records in the member result, and a delete without it succeeds", async () => {
    const { url, seen } = await stackOf(
      { body: '{"status":200,"requestId":"r1","result":[{"id":"1"}]}' },
      { body: '{"status":200,"requestId":"r2","result":{"id":"1","name":"a"}}' },
      { body: '{"status":200,"requestId":"r3"}' },
    );
    const client = managedClient(url);
    await expect(listAll(client, "dashboards")).resolves.toEqual([{ id: "1" }]);
    await expect(client.get(alerts, "a/b")).resolves.toEqual({ id: "1", name: "a" });
    await expect(client.delete(dashboards, "1")).resolves.toBeUndefined();
    expect(seen).toEqual([
      `GET ${repository}/obsstack/dashboards`,
      `GET ${repository}/obsstack/alerts/a%2Fb`,
      `DELETE ${repository}/obsstack/dashboards/1`,
    ]);
  });

  test("may have other path segments", async () => {
    const { url, seen } = await stackOf({ body: '{"result":[]}' });
    const client = managedClient(url, { segments: { stack: "clickstack", pipes: "clickpipes" } });
    await listAll(client, "pipes");
    await listAll(client, "dashboards");
    expect(seen).toEqual([`GET ${repository}/clickpipes`, `GET ${repository}/clickstack/dashboards`]);
  });

  test("offers no chart series and no connections, and no request is sent for them", async () => {
    const { url, seen } = await stackOf({});
    const client = managedClient(url);
    const query = { startTime: 0, endTime: 1, granularity: "1m", series: [] };
    await expect(refusal(client.querySeries(query))).resolves.toMatchObject({ code: "not-offered" });
    await expect(refusal(client.create(kindOf("connections"), {}))).resolves.toMatchObject({ code: "not-offered" });
    expect(seen).toEqual([]);
  });

  test.each([
    ["404 as JSON", { status: 404, body: '{"status":404,"error":"Not found"}' }],
    ["404 as a page", { status: 404, body: HTML_404 }],
    ["405", { status: 405, body: "" }],
  ])("that refuses an optional route with %s is reported as not-offered", async (_answer, reply) => {
    const { url, seen } = await stackOf(reply);
    await expect(refusal(listAll(managedClient(url), "webhooks"))).resolves.toMatchObject({ code: "not-offered" });
    await expect(refusal(listAll(managedClient(url), "pipes"))).resolves.toMatchObject({ code: "not-offered" });
    expect(seen).toHaveLength(2);
  });
});

describe("an answer outside 2xx", () => {
  test.each<[status: number, body: string, expected: object]>([
    [400, '{"message":"name: Required"}', { code: "rejected", message: "name: Required", failure: { applied: "no" } }],
    [409, '{"error":"exists"}', { code: "rejected", message: "exists" }],
    [413, '{"message":"Something went wrong :("}', { code: "rejected", message: "Something went wrong :(" }],
    [422, "plain words", { code: "rejected", message: "plain words" }],
    [418, "", { code: "rejected", failure: { status: 418 } }],
    [401, "Unauthorized", { code: "unauthorized", failure: { excerpt: "Unauthorized" } }],
    [403, "Forbidden", { code: "forbidden" }],
    [404, "Not Found", { code: "not-found" }],
    [404, HTML_404, { code: "not-offered", failure: { excerpt: "Cannot GET /x", status: 404 } }],
    [405, "", { code: "not-offered" }],
    [500, '{"message":"Something went wrong :("}', { code: "unavailable", hint: expect.stringContaining("16 MB") }],
    [500, "", { code: "unavailable", failure: { applied: "unknown" } }],
    [501, "", { code: "unavailable" }],
    [502, "<html><body>Bad <b>Gateway</b></body></html>", { failure: { excerpt: "Bad Gateway", applied: "unknown" } }],
    [502, "", { code: "unavailable" }],
    [400, '{"status":400,"error":"no","requestId":"r-1"}', { failure: { requestId: "r-1" } }],
  ])("%i %s", async (status, body, expected) => {
    const { url, seen } = await stackOf({ status, body });
    await expect(refusal(clientOf(url).update(dashboards, "1", {}))).resolves.toMatchObject(expected);
    expect(seen).toHaveLength(1);
  });

  test("may carry its request id in a header", async () => {
    const { url } = await stackOf({ status: 400, body: "no", headers: { "x-request-id": "r-2" } });
    const error = await refusal(clientOf(url).get(dashboards, "1"));
    expect(error).toMatchObject({ failure: { requestId: "r-2" } });
  });

  test.each([500, 502, 503, 504])("%i: updates, deletes and reads are retried, creates are not", async (status) => {
    for (const [operation, requests] of [
      ["update", 2],
      ["delete", 2],
      ["get", 2],
      ["list", 2],
      ["series", 2],
      ["create", 1],
    ] as const) {
      const { url, seen } = await stackOf(
        { status },
        { body: operation === "list" ? '{"data":[]}' : '{"data":{"id":"1"}}' },
      );
      const client = clientOf(url, { retryBudgetMs: 60_000, clock: instantClock() });
      const call = {
        update: () => client.update(dashboards, "1", {}),
        delete: () => client.delete(dashboards, "1"),
        get: () => client.get(dashboards, "1"),
        list: () => listAll(client, "dashboards"),
        series: () => client.querySeries({ startTime: 0, endTime: 1, granularity: "1m", series: [] }),
        create: () => client.create(dashboards, {}),
      }[operation];
      await call().catch(() => {});
      expect([operation, seen.length]).toEqual([operation, requests]);
    }
  });

  test("501 is not retried", async () => {
    const { url, seen } = await stackOf({ status: 501 });
    await refusal(clientOf(url, { retryBudgetMs: 60_000 }).get(dashboards, "1"));
    expect(seen).toHaveLength(1);
  });

  test("an excerpt of the body is bounded and has no control characters", async () => {
    const { url } = await stackOf({ status: 500, body: `\u001b[31mred\u0007\u202e${"x".repeat(100_000)}` });
    const { failure, message } = await refusal(clientOf(url).get(dashboards, "1"));
    expect(failure.excerpt).toHaveLength(300);
    expect(`${failure.excerpt}${message}`).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });

  test("a delete of a missing record succeeds, but not on an unknown route", async () => {
    const gone = await stackOf({ status: 404, body: '{"message":"Alert not found"}' });
    await expect(clientOf(gone.url).delete(alerts, "1")).resolves.toBeUndefined();
    const elsewhere = await stackOf({ status: 404, body: HTML_404 });
    await expect(refusal(clientOf(elsewhere.url).delete(alerts, "1"))).resolves.toMatchObject({ code: "not-offered" });
  });
});

describe("an answer of 2xx that is not of this API", () => {
  test.each([
    "<!doctype html><title>App</title><div id=root></div>",
    "OK",
    "",
    "[]",
    "null",
    '{"ok":true}',
    '{"data":{"id":"1"}}',
    '{"result":[]}',
  ])("makes a list fail if its body is %j", async (body) => {
    const { url } = await stackOf({ body });
    const error = await refusal(listAll(clientOf(url), "dashboards"));
    expect(error).toMatchObject({ code: "protocol", failure: { status: 200, applied: "no" } });
    expect(error.hint).toMatch(/8000.*8080/);
  });

  test("a create with a truncated answer may have been applied, and the error does not show the record", async () => {
    const { url, seen } = await stackOf({ body: '{"data":{"id":"1","url":"https://hooks.example.com/HIDDEN' });
    const error = await refusal(clientOf(url, { retryBudgetMs: 60_000 }).create(dashboards, {}));
    expect(error).toMatchObject({ code: "protocol", failure: { applied: "unknown" } });
    expect(everythingIn(error)).not.toContain("HIDDEN");
    expect(seen).toHaveLength(1);
  });

  test("a read with a truncated answer is retried", async () => {
    const { url, seen } = await stackOf({ body: '{"data":{"id":' }, { body: '{"data":{"id":"1"}}' });
    await expect(clientOf(url, { retryBudgetMs: 60_000 }).get(dashboards, "1")).resolves.toEqual({ id: "1" });
    expect(seen).toHaveLength(2);
  });

  test("an HTML page as the answer to a delete is no success", async () => {
    const { url } = await stackOf({ body: "<html></html>" });
    await expect(refusal(clientOf(url).delete(dashboards, "1"))).resolves.toMatchObject({
      code: "protocol",
      failure: { applied: "unknown" },
    });
    const empty = await stackOf({ status: 204 });
    await expect(clientOf(empty.url).delete(dashboards, "1")).resolves.toBeUndefined();
  });
});

describe("lists", () => {
  test("a paged kind is requested with limit and offset, another kind without", async () => {
    const { url, seen } = await stackOf(
      { body: '{"data":[{"id":"1"},{"id":"2"}],"meta":{"total":3,"limit":2,"offset":0}}' },
      { body: '{"data":[{"id":"3"}]}', headers: { "x-total-count": "3" } },
      { body: '{"data":[{"id":"1"}]}' },
    );
    const client = clientOf(url, { pageSize: 2 });
    await expect(listAll(client, "alerts")).resolves.toEqual([{ id: "1" }, { id: "2" }, { id: "3" }]);
    await listAll(client, "sources");
    expect(seen).toEqual([
      "GET /api/v2/alerts?limit=2&offset=0",
      "GET /api/v2/alerts?limit=2&offset=2",
      "GET /api/v2/sources",
    ]);
  });

  test("a list shorter than the total in X-Total-Count is refused as incomplete", async () => {
    const headers = { "x-total-count": "2" };
    const { url } = await stackOf({ body: '{"data":[{"id":"1"}]}', headers }, { body: '{"data":[]}', headers });
    await expect(refusal(listAll(clientOf(url), "alerts"))).resolves.toMatchObject({ code: "list-incomplete" });
  });
});

test("requests are counted and reported as events, including retries", async () => {
  const events: RunEvent[] = [];
  const clock = instantClock();
  const { url } = await stackOf(
    { status: 503 },
    { status: 429, headers: { "retry-after": "60", "ratelimit-reset": "34" } },
    { body: '{"data":[]}' },
  );
  const client = clientOf(url, {
    clock,
    random: () => 1,
    retryBudgetMs: 60_000,
    events: (event) => events.push(event),
  });
  await listAll(client, "dashboards");
  expect(client.requestCounts()).toEqual({ total: 3, retried: 2, rateLimited: 1, waitedMs: 34_250 });
  expect(events.map(({ type }) => type)).toEqual(["request", "retry", "request", "retry", "wait", "request"]);
  expect(events[4]).toEqual({ type: "wait", reason: expect.any(String), waitMs: expect.any(Number) });
});

test.each([
  ["retry-after", 1000],
  ["retry-after", 1],
  ["ratelimit-reset", 1],
])("%s as a point in time (unit: %i ms) is waited for, however it is written", async (name, unitMs) => {
  const clock = instantClock();
  const date = new Date(clock.now()).toUTCString();
  const headers = { date, [name]: String((clock.now() + 3000) / unitMs) };
  const { url } = await stackOf({ status: 429, headers }, { body: '{"data":[]}' });
  const client = clientOf(url, { clock });
  await listAll(client, "dashboards");
  expect(client.requestCounts()).toMatchObject({ total: 2, waitedMs: 3000 });
});

describe("the credential", () => {
  const echoes: readonly ((secret: string) => Reply)[] = [
    (secret) => ({ status: 401, body: `{"message":"refused ${secret}","requestId":"${secret}"}` }),
    (secret) => ({ status: 400, body: `<html><body>authorization: ${secret}</body></html>` }),
    (secret) => ({ status: 503, body: secret, headers: { "x-request-id": secret } }),
    (secret) => ({ status: 200, body: `not json ${secret}` }),
    (secret) => ({ status: 200, body: `{"message":"${secret}","requestId":"${secret}"}` }),
    (secret) => ({ status: 302, headers: { location: `https://elsewhere.test/?k=${encodeURIComponent(secret)}` } }),
  ];
  const basic = Buffer.from("KEY-ID:KEY-SECRET").toString("base64");

  test.each(echoes)("is in no error and no event, even if the stack echoes it (%#)", async (echo) => {
    for (const secret of [API_KEY, "KEY-SECRET", basic]) {
      const events: RunEvent[] = [];
      const { url } = await stackOf(echo(secret));
      const options = { events: (event: RunEvent) => events.push(event), retryBudgetMs: 2000, clock: instantClock() };
      const client = secret === API_KEY ? clientOf(url, options) : managedClient(url, options);
      const error = await refusal(client.update(dashboards, "1", {}));
      expect(everythingIn([error, error.cause, error.failure, events])).not.toContain(secret);
    }
  });

  test("cannot be reached from a client object", async () => {
    const { url } = await stackOf({});
    expect(everythingIn(clientOf(url))).not.toContain(API_KEY);
  });

  const create = (identity: StackClientOptions["identity"], credential: StackClientOptions["credential"]) => () =>
    createStackClient({ identity, credential });
  const selfHosted = { variant: "self-hosted", baseUrl: "http://127.0.0.1:8000" } as const;

  test.each(["", "two words", "line\nbreak", "schlüssel-SECRET"])(
    "%j is refused as an API key and not repeated in the message",
    (apiKey) => {
      const make = create(selfHosted, { apiKey });
      expect(make).toThrow(expect.objectContaining({ code: "config" }));
      expect(make).not.toThrow(apiKey === "" ? "never" : apiKey);
    },
  );

  test.each([
    "http://stack.example.com",
    "http://10.0.0.1:8000",
    "http://127.0.0.1.example.com",
    "http://localhost.example.com",
  ])("is not sent to %s", (baseUrl) => {
    const make = create({ ...selfHosted, baseUrl }, { apiKey: API_KEY });
    expect(make).toThrow(expect.objectContaining({ code: "config" }));
  });

  test.each(["http://127.0.0.1:8000", "http://[::1]:8000", "http://localhost", "https://stack.example.com"])(
    "may be sent to %s",
    (baseUrl) => {
      expect(create({ ...selfHosted, baseUrl }, { apiKey: API_KEY })).not.toThrow();
    },
  );

  test("of a managed stack needs an organization and a service", () => {
    const identity = { variant: "managed", baseUrl: "https://api.example.com" } as const;
    expect(create(identity, managed.credential)).toThrow(expect.objectContaining({ code: "config" }));
  });
});

test.each(["", ".", "..", "\ud800"])("the id %j is refused and nothing is sent", async (id) => {
  const { url, seen } = await stackOf({ body: '{"data":{"id":"1"}}' });
  await expect(refusal(clientOf(url).delete(dashboards, id))).resolves.toMatchObject({
    code: "rejected",
    failure: { applied: "no" },
  });
  expect(seen).toEqual([]);
});

test.each(["../../admin", "a?b#c", "ü %2e%2e", "__proto__"])("the id %j stays one segment of the path", async (id) => {
  const { url, seen } = await stackOf({ body: '{"data":{"id":"1"}}' });
  await clientOf(url).get(dashboards, id);
  expect(seen).toEqual([`GET /api/v2/dashboards/${encodeURIComponent(id)}`]);
});

test("a kind without a route for the variant is refused as not-offered", async () => {
  const { url } = await stackOf({});
  const odd: ResourceKind = { ...dashboards, name: "oddities", routes: { managed: {}, "self-hosted": {} } };
  await expect(refusal(clientOf(url).get(odd, "1"))).resolves.toMatchObject({ code: "not-offered" });
});

describe("a record with a number that JavaScript cannot hold", () => {
  test("is refused as unreadable, and the error shows none of its values", async () => {
    const stack = await stackOf({ body: '{"data":{"id":"one","connectionString":"c47MMRREd75t","size":1e999}}' });
    const error = await refusal(clientOf(stack.url).get(dashboards, "one"));
    expect(error).toMatchObject({ code: "unreadable-record", failure: { status: 200 } });
    expect(error.failure.path).toContain("one");
    expect(JSON.stringify(error) + error.message).not.toContain("c47MMRREd75t");
  });

  test("is not blamed if the number stands outside the records of a list", async () => {
    const stack = await stackOf({ body: '{"data":[],"meta":{"total":1e999}}' });
    expect(await refusal(listAll(clientOf(stack.url), "dashboards"))).toMatchObject({ code: "protocol" });
  });
});
