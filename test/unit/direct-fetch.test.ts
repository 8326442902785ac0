import { ProxyAgent, type Dispatcher } from "undici";
import { expect, test } from "vitest";
import { startSandbox, type Interceptor } from "../support/start-sandbox.ts";

const never: Interceptor = () => new Promise(() => {});
const start = (intercept?: Interceptor) => startSandbox({ variant: "self-hosted", ...(intercept && { intercept }) });
const abortedBy = (ms: number): AbortSignal => {
  const controller = new AbortController();
  if (ms === 0) controller.abort();
  else setTimeout(() => controller.abort(), ms);
  return controller.signal;
};

test("a sandbox of this process is asked by fetch as over a connection: path, method, headers and body", async () => {
  const seen: unknown[] = [];
  await using sandbox = await start(({ method, target, headers }, proceed) => {
    seen.push([method, target, headers["x-team"], headers["content-type"]]);
    return proceed();
  });
  const headers = { "X-Team": "a", authorization: `Bearer ${sandbox.apiKey}`, "content-type": "application/json" };
  const body = JSON.stringify({ name: "d", tiles: [] });
  const answer = await fetch(`${sandbox.url}/api/v2/dashboards?x=1`, { method: "POST", headers, body });
  expect([answer.status, await answer.json()]).toEqual([
    200,
    { data: expect.objectContaining({ name: "d" }) as object },
  ]);
  expect(seen).toEqual([["POST", "/api/v2/dashboards?x=1", "a", "application/json"]]);
});

test.each([
  ["before it is sent", 0, []],
  ["while the answer is awaited", 5, ["asked"]],
])("a request that is aborted %s is rejected", async (_when, ms, expected) => {
  const seen: string[] = [];
  await using sandbox = await start((...call) => {
    seen.push("asked");
    return never(...call);
  });
  const asked = fetch(`${sandbox.url}/api/v2/dashboards`, { signal: abortedBy(ms) });
  await expect(asked).rejects.toMatchObject({ name: "AbortError" });
  expect(seen).toEqual(expected);
});

test("a sandbox that is closed cannot be reached", async () => {
  const sandbox = await start();
  await sandbox.close();
  await expect(fetch(sandbox.url)).rejects.toMatchObject({ cause: { code: "ECONNREFUSED" } });
});

test("a request through a proxy goes to the proxy", async () => {
  await using sandbox = await start();
  const dispatcher: Dispatcher = new ProxyAgent({ uri: "http://127.0.0.1:9", proxyTunnel: false });
  const init: RequestInit = {};
  await expect(fetch(`${sandbox.url}/api/v2`, Object.assign(init, { dispatcher }))).rejects.toThrow("fetch failed");
  await dispatcher.close();
  expect(sandbox.stats().total).toBe(0);
});
