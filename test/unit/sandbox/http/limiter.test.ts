import { once } from "node:events";
import { IncomingMessage, request } from "node:http";
import { expect, test } from "vitest";
import { createLimiter } from "../../../../src/sandbox/http/serve-call.ts";
import { startSandbox, type Sandbox } from "../../../../src/sandbox/start-sandbox.ts";
import { authorizationOf, call, json, send } from "../call.ts";

const LIMIT = { requests: 3, windowMs: 60_000 };

test("a limiter window has a fixed length, whenever the requests arrive in it", () => {
  let now = 0;
  const limiter = createLimiter({ requests: 2, windowMs: 1000, headers: true }, () => now);
  expect(limiter.take("a").allowed).toBe(true);
  now = 900;
  expect(limiter.take("a").allowed).toBe(true);
  expect(limiter.take("a")).toEqual({
    allowed: false,
    headers: { "RateLimit-Limit": "2", "RateLimit-Remaining": "0", "RateLimit-Reset": "1", "Retry-After": "1" },
  });
  expect(limiter.take("b").allowed).toBe(true);
  now = 999;
  expect(limiter.take("a").allowed).toBe(false);
  now = 1000;
  expect(limiter.take("a").allowed).toBe(true);
});

test("self-hosted: all resources share the budget, a failed request counts, and headers report the rest", async () => {
  let now = 1_000_000;
  await using sandbox = await startSandbox({ variant: "self-hosted", limit: LIMIT, now: () => now });
  const first = await call(sandbox, "GET", "dashboards");
  now += 26_000;
  const failed = await call(sandbox, "POST", "dashboards", {});
  const third = await call(sandbox, "GET", "sources");
  const refused = await call(sandbox, "GET", "alerts");
  expect([first.status, failed.status, third.status, refused.status]).toEqual([200, 400, 200, 429]);
  expect(first.headers.get("ratelimit-remaining")).toBe("2");
  expect(first.headers.get("ratelimit-reset")).toBe("60");
  expect(failed.headers.get("ratelimit-remaining")).toBe("1");
  expect(refused.headers.get("content-type")).toBe("text/html; charset=utf-8");
  expect(refused.headers.get("ratelimit-reset")).toBe("34");
  expect(refused.headers.get("retry-after")).toBe("60");
  now += 34_000;
  expect((await call(sandbox, "GET", "alerts")).status).toBe(200);
  expect(sandbox.stats()).toEqual({
    total: 5,
    rateLimited: 1,
    byRoute: { "GET dashboards": 1, "POST dashboards": 1, "GET sources": 1, "GET alerts": 2 },
    byStatus: { "200": 3, "400": 1, "429": 1 },
  });
});

test.each([true, false])(
  "managed: the 429 response has the envelope, and limit headers only with that option (%s)",
  async (headers) => {
    await using sandbox = await startSandbox({ variant: "managed", limit: headers ? { ...LIMIT, headers } : LIMIT });
    for (let sent = 0; sent < LIMIT.requests; sent += 1) await call(sandbox, "GET", "dashboards");
    const refused = await call(sandbox, "GET", "dashboards");
    expect(refused.status).toBe(429);
    expect(json(refused)["status"]).toBe(429);
    expect([...refused.headers.keys()].some((name) => /ratelimit|retry/.test(name))).toBe(headers);
  },
);

test("each credential has its own budget, also an invalid one", async () => {
  await using sandbox = await startSandbox({ variant: "self-hosted", limit: LIMIT });
  const url = `${sandbox.url}/api/v2/dashboards`;
  const statuses: number[] = [];
  for (let sent = 0; sent < 4; sent += 1) statuses.push((await send(url, "GET", { authorization: "Bearer x" })).status);
  expect(statuses).toEqual([401, 401, 401, 429]);
  expect((await call(sandbox, "GET", "dashboards")).status).toBe(200);
});

test("requests for the statistics are neither counted nor limited, and can reset them", async () => {
  await using sandbox = await startSandbox({ variant: "self-hosted", limit: { requests: 1, windowMs: 60_000 } });
  await call(sandbox, "GET", "dashboards");
  await call(sandbox, "GET", "dashboards");
  const url = `${sandbox.url}/__sandbox/stats`;
  const authorization = authorizationOf(sandbox);
  const read = await send(url, "GET", { authorization });
  expect(json(read)).toEqual({ ...sandbox.stats() });
  expect(json(read)).toMatchObject({ total: 2, rateLimited: 1 });
  await send(url, "DELETE", { authorization });
  expect(sandbox.stats()).toEqual({ total: 0, rateLimited: 0, byRoute: {}, byStatus: {} });
});

/** Sends a request with the given headers and returns its status. `fetch` cannot send a `Host` that differs from the address. */
async function statusOf(sandbox: Sandbox, method: string, headers: Readonly<Record<string, string>>): Promise<number> {
  const sent = request(`${sandbox.url}/__sandbox/stats`, { method, headers }).end();
  const [response] = await once(sent, "response");
  if (!(response instanceof IncomingMessage)) throw new Error("no response");
  response.resume();
  return response.statusCode ?? 0;
}

test.each(["managed", "self-hosted"] as const)(
  "%s: the statistics require the credential and a loopback host name",
  async (variant) => {
    await using sandbox = await startSandbox({ variant });
    await call(sandbox, "GET", "dashboards");
    const authorization = authorizationOf(sandbox);
    const { host } = new URL(sandbox.url);
    const statuses = [
      await statusOf(sandbox, "DELETE", { host }),
      await statusOf(sandbox, "DELETE", { host, authorization: "Bearer guessed" }),
      await statusOf(sandbox, "DELETE", { host: "stack.example.com", authorization }),
      await statusOf(sandbox, "GET", { host: "localhost.example.com:80", authorization }),
      await statusOf(sandbox, "GET", { host: "localhost:1", authorization }),
      await statusOf(sandbox, "GET", { host, authorization }),
    ];
    expect(statuses).toEqual([401, 401, 403, 403, 200, 200]);
    expect(sandbox.stats().total).toBe(1);
  },
);
