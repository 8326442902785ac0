import { expect, test } from "vitest";
import { createLimiter } from "../../../../src/sandbox/http/serve-call.ts";
import { startSandbox } from "../../../../src/sandbox/start-sandbox.ts";
import { call, json, send } from "../call.ts";

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
