import { expect, test } from "vitest";
import { startSandbox, type InterceptedRequest, type Interceptor } from "../../../../src/sandbox/start-sandbox.ts";
import { call, list } from "../call.ts";

const BODY = { name: "d", tiles: [] };
const withHook = (intercept: Interceptor) => startSandbox({ variant: "self-hosted", intercept });

test("an interceptor gets the route, the method and the counts of a request", async () => {
  const seen: Pick<InterceptedRequest, "route" | "method" | "target" | "count" | "routeCount">[] = [];
  await using sandbox = await withHook(({ route, method, target, count, routeCount }, proceed) => {
    seen.push({ route, method, target, count, routeCount });
    return proceed();
  });
  await call(sandbox, "GET", "alerts?limit=5");
  await call(sandbox, "POST", "dashboards", BODY);
  await call(sandbox, "GET", "alerts");
  expect(seen).toEqual([
    { route: "GET alerts", method: "GET", target: "/api/v2/alerts?limit=5", count: 1, routeCount: 1 },
    { route: "POST dashboards", method: "POST", target: "/api/v2/dashboards", count: 2, routeCount: 1 },
    { route: "GET alerts", method: "GET", target: "/api/v2/alerts", count: 3, routeCount: 2 },
  ]);
});

test("an interceptor can destroy the socket after the write, so that no response is sent", async () => {
  await using sandbox = await withHook(async ({ route, socket }, proceed) => {
    const answer = await proceed();
    if (route !== "POST dashboards") return answer;
    socket.destroy();
    return undefined;
  });
  await expect(call(sandbox, "POST", "dashboards", BODY)).rejects.toThrow("fetch failed");
  expect(list(await call(sandbox, "GET", "dashboards"))).toHaveLength(1);
  expect(sandbox.stats().byStatus).toEqual({ "200": 1, none: 1 });
});

test("an interceptor sees a request without a connection, and can leave it without a response", async () => {
  const seen: Pick<InterceptedRequest, "route" | "method" | "target" | "headers">[] = [];
  await using sandbox = await withHook(({ route, method, target, headers, socket }) => {
    seen.push({ route, method, target, headers });
    socket.destroy();
    return undefined;
  });
  const request = new Request(`${sandbox.url}/api/v2/alerts?limit=5`, { headers: { "X-Team": "ours" } });
  await expect(sandbox.fetch(request)).rejects.toMatchObject({ cause: { code: "UND_ERR_SOCKET" } });
  const headers = expect.objectContaining({ "x-team": "ours" }) as object;
  expect(seen).toEqual([{ route: "GET alerts", method: "GET", target: "/api/v2/alerts?limit=5", headers }]);
  expect(sandbox.stats().byStatus).toEqual({ none: 1 });
});

test("an interceptor that throws causes status 500, and the next request is served", async () => {
  await using sandbox = await withHook(({ count }, proceed) => {
    if (count === 1) throw new Error("a bug in the hook");
    return proceed();
  });
  expect((await call(sandbox, "GET", "dashboards")).status).toBe(500);
  expect((await call(sandbox, "GET", "dashboards")).status).toBe(200);
  expect(sandbox.stats().byStatus).toEqual({ "200": 1, "500": 1 });
});
