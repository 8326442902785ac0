import { once } from "node:events";
import { connect } from "node:net";
import { expect, test } from "vitest";
import type { FaultPlan } from "../../support/faults/fault-plan.ts";
import {
  startFaultySandbox,
  type FaultyOptions,
  type FaultySandbox,
} from "../../support/faults/start-faulty-sandbox.ts";
import { authorizationOf, call, list, send } from "../sandbox/call.ts";

const BODY = { name: "d", tiles: [] };
type Rule = FaultPlan["rules"][number];

/** Starts a sandbox in which only the first create meets the fault. */
const start = (rule: Rule, options: Partial<FaultyOptions> = {}) =>
  startFaultySandbox({
    variant: "self-hosted",
    faults: { rules: [{ route: "POST dashboards", nth: 1, ...rule }] },
    ...options,
  });
const create = (sandbox: FaultySandbox) => call(sandbox, "POST", "dashboards", BODY);
const stored = async (sandbox: FaultySandbox) => list(await call(sandbox, "GET", "dashboards")).length;

/** Sends a create that the client cancels after `ms` milliseconds. */
async function createFor(sandbox: FaultySandbox, ms: number): Promise<void> {
  const headers = { authorization: authorizationOf(sandbox), "content-type": "application/json" };
  const signal = AbortSignal.timeout(ms);
  await fetch(`${sandbox.url}/api/v2/dashboards`, { method: "POST", headers, body: JSON.stringify(BODY), signal });
}

test.each([
  ["500", 500, "application/json; charset=utf-8", 0],
  ["500-after", 500, "application/json; charset=utf-8", 1],
  ["html-502", 502, "text/html; charset=utf-8", 0],
  ["html-502-after", 502, "text/html; charset=utf-8", 1],
] as const)("the fault %s returns status %i", async (fault, status, type, count) => {
  for (const variant of ["self-hosted", "managed"] as const) {
    await using sandbox = await start({ fault }, { variant });
    const answer = await create(sandbox);
    expect([answer.status, answer.headers.get("content-type")]).toEqual([status, type]);
    expect(await stored(sandbox)).toBe(count);
    expect((await create(sandbox)).status).toBe(200);
    expect(sandbox.faultCounts()).toEqual({ [fault]: 1 });
  }
});

test.each([
  ["reset", 0, "ECONNRESET"],
  ["reset-after", 1, "ECONNRESET"],
] as const)("the fault %s breaks the connection, with %i records stored", async (fault, count, code) => {
  await using sandbox = await start({ fault });
  await expect(create(sandbox)).rejects.toMatchObject({ cause: { code } });
  expect(await stored(sandbox)).toBe(count);
  expect(sandbox.stats().byStatus).toEqual({ none: 1, "200": 1 });
});

test("the fault 429 returns the limiter's response before the stack is reached, with the variant's headers", async () => {
  const names = ["ratelimit-limit", "ratelimit-remaining", "ratelimit-reset", "retry-after"];
  for (const variant of ["self-hosted", "managed"] as const) {
    await using limited = await startFaultySandbox({ variant, limit: { requests: 1, windowMs: 1000 } });
    await create(limited);
    const real = await create(limited);
    for (const headers of [undefined, true, false]) {
      await using sandbox = await start({ fault: "429", ...(headers === undefined ? {} : { headers }) }, { variant });
      const answer = await create(sandbox);
      expect([answer.status, answer.headers.get("content-type")]).toEqual([429, real.headers.get("content-type")]);
      expect(answer.text.length).toBe(real.text.length);
      const values = (headers ?? variant === "self-hosted") ? ["100", "0", "1", "60"] : [null, null, null, null];
      expect(names.map((name) => answer.headers.get(name))).toEqual(values);
      expect(await stored(sandbox)).toBe(0);
      expect(sandbox.stats().rateLimited).toBe(0);
    }
  }
});

test("the fault 429 reports the sandbox's limit, and does not use up the budget", async () => {
  await using sandbox = await start({ fault: "429" }, { limit: { requests: 2, windowMs: 30_000 } });
  const answer = await create(sandbox);
  expect([answer.headers.get("ratelimit-limit"), answer.headers.get("retry-after")]).toEqual(["2", "30"]);
  expect((await create(sandbox)).headers.get("ratelimit-remaining")).toBe("1");
});

test("the fault slow returns the usual response after its delay", async () => {
  await using sandbox = await start({ fault: "slow", ms: 300 });
  const before = performance.now();
  expect((await create(sandbox)).status).toBe(200);
  expect(performance.now() - before).toBeGreaterThanOrEqual(299);
  expect(await stored(sandbox)).toBe(1);
});

test.each([
  ["never", 0],
  ["never-after", 1],
] as const)(
  "the fault %s sends no response until the client gives up, with %i records stored",
  async (fault, count) => {
    await using sandbox = await start({ fault });
    await expect(createFor(sandbox, 300)).rejects.toMatchObject({ name: "TimeoutError" });
    expect(await stored(sandbox)).toBe(count);
    await expect.poll(() => sandbox.stats().byStatus).toEqual({ none: 1, "200": 1 });
  },
);

test.each(["never", "never-after"] as const)(
  "closing the sandbox ends requests that the fault %s holds",
  async (fault) => {
    const sandbox = await startFaultySandbox({ variant: "self-hosted", faults: { rules: [{ fault }] } });
    const held = Promise.all([1, 2, 3].map(() => expect(create(sandbox)).rejects.toThrow("fetch failed")));
    await expect.poll(() => sandbox.faultCounts()).toEqual({ [fault]: 3 });
    await Promise.all([sandbox.close(), held]);
  },
);

test("closing the sandbox ends a slow request before it changes anything", async () => {
  const sandbox = await start({ fault: "slow", ms: 600_000 });
  const cutOff = expect(create(sandbox)).rejects.toThrow("fetch failed");
  await expect.poll(() => sandbox.faultCounts()).toEqual({ slow: 1 });
  await Promise.all([sandbox.close(), cutOff]);
  expect(sandbox.stats().byStatus).toEqual({ none: 1 });
});

test("the fault truncated sends all headers and half of the body of a stored record", async () => {
  await using sandbox = await start({ fault: "truncated" });
  const socket = connect(Number(new URL(sandbox.url).port), "127.0.0.1").setEncoding("utf8");
  const body = JSON.stringify(BODY);
  const head = [
    "POST /api/v2/dashboards HTTP/1.1",
    "Host: x",
    `Authorization: ${authorizationOf(sandbox)}`,
    "Content-Type: application/json",
    `Content-Length: ${body.length}`,
  ];
  socket.write(`${head.join("\r\n")}\r\n\r\n${body}`);
  let received = "";
  socket.on("data", (text: string) => (received += text));
  await once(socket, "close");
  const [headers = "", content = ""] = received.split("\r\n\r\n");
  expect(headers).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  const length = Number(/content-length: (\d+)/.exec(headers)?.[1]);
  expect(content.length).toBe(Math.floor(length / 2));
  expect(content).toMatch(/^\{"data":\{"id":/);
  expect(await stored(sandbox)).toBe(1);
});

test("a fault before the handler leaves the connection usable after a large body", async () => {
  await using sandbox = await start({ fault: "500" });
  const large = { ...BODY, savedQuery: "x".repeat(5_000_000) };
  expect((await call(sandbox, "POST", "dashboards", large)).status).toBe(500);
  expect((await create(sandbox)).status).toBe(200);
  expect(await stored(sandbox)).toBe(1);
});

test("a fault also affects requests to unknown routes and without a credential", async () => {
  await using sandbox = await startFaultySandbox({ variant: "managed", faults: { rules: [{ fault: "html-502" }] } });
  expect((await send(`${sandbox.url}/nowhere`, "GET", {})).status).toBe(502);
  expect((await send(`${sandbox.stack}/obsstack/alerts`, "GET", {})).status).toBe(502);
});

test("an interceptor runs after the faults, and a connection that it destroyed stays broken", async () => {
  const seen: string[] = [];
  await using sandbox = await startFaultySandbox({
    variant: "self-hosted",
    faults: {
      rules: [
        { fault: "500", nth: 1 },
        { fault: "500-after", nth: 2 },
      ],
    },
    intercept: ({ route, socket }) => {
      seen.push(route);
      socket.destroy();
      return undefined;
    },
  });
  expect((await call(sandbox, "GET", "alerts")).status).toBe(500);
  expect(seen).toEqual([]);
  await expect(call(sandbox, "GET", "sources")).rejects.toThrow("fetch failed");
  expect(seen).toEqual(["GET sources"]);
  expect(sandbox.stats().byStatus).toEqual({ "500": 1, none: 1 });
});
