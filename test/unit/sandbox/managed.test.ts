import { expect, test } from "vitest";
import { startSandbox, type Sandbox } from "../../../src/sandbox/start-sandbox.ts";
import { call, children, json, list, markdownTile, record, send } from "./call.ts";

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const ABSENT = "00000000-0000-4000-8000-000000000000";

const bare = (strict = false) => startSandbox({ variant: "managed", seed: "bare", strict });

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

const HEX = /^[0-9a-f]{24}$/;

const tile = (config: object) => ({ name: "t", x: 0, y: 0, w: 6, h: 4, config });
const firstSource = async (sandbox: Sandbox) => list(await call(sandbox, "GET", "sources"))[0];
const counts = async (sandbox: Sandbox, displayType: string) => {
  return { displayType, sourceId: (await firstSource(sandbox))?.id, select: [{ aggFn: "count" }] };
};
const channelsOf = ({ webhooks }: Sandbox) => {
  const channels = webhooks.slice(0, 2).map(({ id }) => ({ type: "webhook", webhookId: id }));
  return { channel: channels[0], channels };
};

async function alertBody(sandbox: Sandbox) {
  const tiles = [tile(await counts(sandbox, "line"))];
  const dashboard = record(await call(sandbox, "POST", "dashboards", { name: "d", tiles }));
  const condition = { source: "tile", threshold: 1, thresholdType: "above", interval: "5m" };
  return { ...condition, dashboardId: dashboard.id, tileId: children(dashboard, "tiles")[0]?.id };
}

type Body = (sandbox: Sandbox) => object | Promise<object>;

/**
 * Members that the description of managed stacks lacks, whether self-hosted stacks have them or not. Each is in a body, with the
 * place that the refusal names.
 */
const undescribed: readonly (readonly [kind: string, member: string, at: string, body: Body])[] = [
  ["dashboards", "nope", "", () => ({ name: "x", tiles: [], nope: 1 })],
  ["dashboards", "nope", "tiles.0: ", () => ({ name: "x", tiles: [{ ...markdownTile("a"), nope: 1 }] })],
  ["webhooks", "nope", "", () => ({ name: "w", service: "generic", url: "https://example.com", nope: 1 })],
  ["alerts", "channels", "", async (sandbox) => ({ ...(await alertBody(sandbox)), ...channelsOf(sandbox) })],
  [
    "dashboards",
    "seriesLimit",
    "tiles.0.config: ",
    async (sandbox) => ({ name: "x", tiles: [tile({ ...(await counts(sandbox, "line")), seriesLimit: 5 })] }),
  ],
  [
    "sources",
    "orderByExpression",
    "",
    async (sandbox) => ({ ...(await firstSource(sandbox)), name: "copy", orderByExpression: "Timestamp" }),
  ],
];

test.each(undescribed)(
  "%s: a strict gateway refuses the member %s by name, and another gateway drops it",
  async (kind, member, at, bodyOf) => {
    for (const strict of [true, false]) {
      await using sandbox = await bare(strict);
      const answer = await call(sandbox, "POST", kind, await bodyOf(sandbox));
      expect(answer.status, answer.text).toBe(strict ? 400 : 200);
      if (strict) expect(json(answer)["error"]).toContain(`${at}Unrecognized key(s) in object: '${member}'`);
      else expect(answer.text).not.toContain(member);
    }
  },
);

test("a managed stack can have ids of 24 hex digits, and pipes, organization and service have uuids", async () => {
  await using sandbox = await startSandbox({ variant: "managed", seed: "sample", ids: "hex" });
  for (const kind of ["dashboards", "alerts", "sources", "webhooks", "saved-searches"]) {
    for (const { id } of list(await call(sandbox, "GET", kind))) expect(id).toMatch(HEX);
  }
  const pipeIds = list(await call(sandbox, "GET", "pipes")).map(({ id }) => id);
  expect(pipeIds.some((id) => HEX.test(id))).toBe(false);
  expect((await call(sandbox, "GET", `pipes/${pipeIds[0]}`)).status).toBe(200);
  const other = await call(sandbox, "GET", "dashboards/00000000-0000-4000-8000-000000000000");
  expect(json(other)["error"]).toBe("Params validation failed: id: Invalid ObjectId");
  const made = record(await call(sandbox, "POST", "dashboards", { name: "d", tiles: [markdownTile("a")] }));
  expect([made.id, children(made, "tiles")[0]?.id].every((id) => HEX.test(String(id)))).toBe(true);
});
