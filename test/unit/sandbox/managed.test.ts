import { expect, test } from "vitest";
import { startSandbox } from "../../../src/sandbox/start-sandbox.ts";
import { authorizationOf, call, children, json, list, markdownTile, record, send } from "./call.ts";

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const ABSENT = "00000000-0000-4000-8000-000000000000";

const bare = () => startSandbox({ variant: "managed", seed: "bare" });

test("managed: a record has a uuid, and its envelope has a new request id", async () => {
  await using sandbox = await bare();
  const created = await call(sandbox, "POST", "dashboards", { name: "one", tiles: [markdownTile("a")] });
  const again = await call(sandbox, "GET", `dashboards/${record(created).id}`);
  expect(created.headers.get("content-type")).toBe("application/json; charset=utf-8");
  expect(Object.keys(json(created))).toEqual(["status", "requestId", "result"]);
  expect(json(created)["requestId"]).toMatch(UUID_V4);
  expect(json(again)["requestId"]).not.toBe(json(created)["requestId"]);
  expect(record(created).id).toMatch(UUID_V4);
  expect(children(record(created), "tiles")[0]?.id).toMatch(UUID_V4);
  expect(json(again)["result"]).toEqual(record(created));
});

test.each([
  ["GET", `dashboards/${ABSENT}`, undefined, 404, "Not Found"],
  ["GET", "dashboards/6b00df85a93eab4bd026b4a1", undefined, 400, "Params validation failed: id: Invalid uuid"],
  ["GET", `alerts/${ABSENT}`, undefined, 404, "Alert not found"],
  ["POST", "dashboards", { name: "x" }, 400, "Body validation failed: tiles: Required"],
  ["POST", "dashboards", "{", 400, "Invalid JSON payload"],
  ["POST", "dashboards", { id: ABSENT, name: "x", tiles: [] }, 400, "Unrecognized key(s) in object: 'id'"],
  ["PUT", `dashboards/${ABSENT}`, { id: ABSENT, name: "x", tiles: [] }, 400, "Unrecognized key(s) in object: 'id'"],
  ["GET", "pipes/not-an-id", undefined, 400, "Params validation failed: id: Invalid uuid"],
  ["GET", `pipes/${ABSENT}`, undefined, 404, "Pipe not found"],
])("managed: %s %s is refused in the envelope", async (method, resource, body, status, error) => {
  await using sandbox = await bare();
  const refused = await call(sandbox, method, resource, body);
  expect(refused.status).toBe(status);
  expect(refused.headers.get("content-type")).toBe("application/json; charset=utf-8");
  expect(json(refused)).toEqual({ status, error, requestId: expect.stringMatching(UUID_V4) });
});

test.each(["connections", "charts/series", "team", "nope"])(
  "managed: %s is no route and returns an HTML 404",
  async (resource) => {
    await using sandbox = await bare();
    const refused = await call(sandbox, "GET", resource);
    expect(refused.status).toBe(404);
    expect(refused.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(refused.text).toContain(`<pre>Cannot GET ${new URL(sandbox.stack).pathname}/obsstack/${resource}</pre>`);
  },
);

test("managed: a wrong or missing credential is refused in the envelope before the route is checked", async () => {
  await using sandbox = await bare();
  const wrong = `Basic ${btoa(`${sandbox.keyId}:wrong`)}`;
  const refusedHeaders: readonly Readonly<Record<string, string>>[] = [
    {},
    { authorization: wrong },
    { authorization: "Bearer x" },
  ];
  for (const headers of refusedHeaders) {
    for (const resource of ["dashboards", "nope"]) {
      const refused = await send(`${sandbox.stack}/obsstack/${resource}`, "GET", headers);
      expect(refused.status).toBe(401);
      expect(json(refused)).toMatchObject({ status: 401, error: "Unauthorized" });
    }
  }
});

test("managed: the path segments of stack and pipes can be changed", async () => {
  const segments = { stack: "clickstack", pipes: "clickpipes" };
  await using sandbox = await startSandbox({ variant: "managed", seed: "sample", segments });
  const headers = { authorization: authorizationOf(sandbox) };
  const pipe = sandbox.pipeIds?.[0];
  expect((await send(`${sandbox.stack}/clickstack/sources`, "GET", headers)).status).toBe(200);
  expect((await send(`${sandbox.stack}/clickpipes/${pipe}`, "GET", headers)).status).toBe(200);
  expect((await send(`${sandbox.stack}/obsstack/sources`, "GET", headers)).status).toBe(404);
  expect(Object.keys(sandbox.stats().byRoute)).toEqual(["GET sources", "GET pipes/{id}", "GET unknown"]);
});

test("managed: alerts are paged without a total count", async () => {
  await using sandbox = await startSandbox({ variant: "managed", seed: "sample" });
  const page = await call(sandbox, "GET", "alerts?limit=5&offset=10");
  expect(Object.keys(json(page))).toEqual(["status", "requestId", "result"]);
  // The page has the last four of fourteen alerts.
  expect(list(page)).toHaveLength(4);
  expect(page.headers.get("x-total-count")).toBeNull();
});
