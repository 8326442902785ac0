import { expect, test } from "vitest";
import type { Sandbox } from "../../../src/sandbox/start-sandbox.ts";
import { startSandbox } from "../../../src/sandbox/start-sandbox.ts";
import { call, children, json, list, markdownTile, record } from "./call.ts";

const HEX = /^[0-9a-f]{24}$/;
const bare = (strict = false) => startSandbox({ variant: "managed", seed: "bare", strict });

const tile = (config: object) => ({ name: "t", x: 0, y: 0, w: 6, h: 4, config });
const webhook = (sandbox: Sandbox) => ({ type: "webhook", webhookId: sandbox.webhooks[0]?.id ?? "" });

const counts = async (sandbox: Sandbox, displayType: string) => {
  const [source] = list(await call(sandbox, "GET", "sources"));
  return { displayType, sourceId: source?.id, select: [{ aggFn: "count" }] };
};

async function alertBody(sandbox: Sandbox, displayType = "line") {
  const tiles = [tile(await counts(sandbox, displayType))];
  const dashboard = record(await call(sandbox, "POST", "dashboards", { name: "d", tiles }));
  const condition = { source: "tile", threshold: 1, thresholdType: "above", interval: "5m" };
  return { ...condition, dashboardId: dashboard.id, tileId: children(dashboard, "tiles")[0]?.id };
}

/** What self-hosted stacks have and the description does not: the path of a body, and where a strict gateway names it. */
const undescribed: readonly (readonly [string, (sandbox: Sandbox) => Promise<readonly [string, object]>])[] = [
  [
    "channels",
    async (sandbox) => {
      const channel = webhook(sandbox);
      const channels = [channel, { ...channel, webhookId: sandbox.webhooks[1]?.id }];
      return ["alerts", { ...(await alertBody(sandbox)), channel, channels }];
    },
  ],
  [
    "seriesLimit",
    async (sandbox) => [
      "dashboards",
      { name: "x", tiles: [tile({ ...(await counts(sandbox, "line")), seriesLimit: 5 })] },
    ],
  ],
  [
    "configType",
    async (sandbox) => [
      "dashboards",
      { name: "x", tiles: [tile({ ...(await counts(sandbox, "pie")), configType: "builder" })] },
    ],
  ],
  [
    "isVariableEnabled",
    async (sandbox) => {
      const [source] = list(await call(sandbox, "GET", "sources"));
      const filter = { type: "QUERY_EXPRESSION", name: "f", expression: "e", sourceId: source?.id };
      return ["dashboards", { name: "x", tiles: [], filters: [{ ...filter, isVariableEnabled: true }] }];
    },
  ],
  [
    "orderByExpression",
    async (sandbox) => {
      const [source] = list(await call(sandbox, "GET", "sources"));
      return ["sources", { ...source, name: "copy", orderByExpression: "Timestamp" }];
    },
  ],
];

test.each(undescribed)("%s: a strict gateway refuses it and names it, another drops it", async (name, bodyOf) => {
  for (const strict of [true, false]) {
    await using sandbox = await bare(strict);
    const [kind, body] = await bodyOf(sandbox);
    const answer = await call(sandbox, "POST", kind, body);
    expect(answer.status, answer.text).toBe(strict ? 400 : 200);
    if (strict) expect(json(answer)["error"]).toMatch(new RegExp(`Unrecognized key\\(s\\) in object: '${name}'$`));
    else expect(answer.text).not.toContain(name);
  }
});

const hook = { name: "w", service: "generic", url: "https://example.com", nope: 1 };
const unknown: readonly (readonly [string, object, string])[] = [
  ["dashboards", { name: "x", tiles: [], nope: 1 }, "Unrecognized key(s) in object: 'nope'"],
  [
    "dashboards",
    { name: "x", tiles: [{ ...markdownTile("a"), nope: 1 }] },
    "tiles.0: Unrecognized key(s) in object: 'nope'",
  ],
  ["webhooks", { ...hook, id: "x" }, "Unrecognized key(s) in object: 'nope', 'id'"],
];

test.each(unknown)("%s: a strict gateway refuses an unknown member, another drops it", async (kind, body, fault) => {
  for (const strict of [true, false]) {
    await using sandbox = await bare(strict);
    const answer = await call(sandbox, "POST", kind, body);
    expect(answer.status).toBe(strict ? 400 : 200);
    if (strict) expect(json(answer)["error"]).toBe(`Body validation failed: ${fault}`);
    else expect(answer.text).not.toContain("nope");
  }
});

test("a source takes null and what the owner describes, in an update its own id too", async () => {
  await using sandbox = await bare(true);
  const [log] = list(await call(sandbox, "GET", "sources"));
  const filterSettings = { databaseName: "d", tableName: "t", columns: [{ name: "a", label: "A" }] };
  const body = { ...log, name: "copy", metricSourceId: null, bodyExpression: null, filterSettings };
  const created = await call(sandbox, "POST", "sources", { ...body, id: undefined });
  expect(created.status).toBe(200);
  expect(record(created)).toMatchObject({ name: "copy", metricSourceId: null, bodyExpression: null, filterSettings });
  const { id } = record(created);
  expect((await call(sandbox, "PUT", `sources/${id}`, record(created))).status).toBe(200);
  const selfHostedOnly = await call(sandbox, "PUT", `sources/${id}`, { ...record(created), orderByExpression: "x" });
  expect(json(selfHostedOnly)["error"]).toContain("'orderByExpression'");
});

test("ids can be 24 hex digits there too; pipes, organization and service stay uuids", async () => {
  await using sandbox = await startSandbox({ variant: "managed", seed: "sample", ids: "hex" });
  for (const kind of ["dashboards", "alerts", "sources", "webhooks", "saved-searches"]) {
    for (const { id } of list(await call(sandbox, "GET", kind))) expect(id).toMatch(HEX);
  }
  expect(sandbox.pipeIds?.every((id) => !HEX.test(id))).toBe(true);
  expect((await call(sandbox, "GET", `pipes/${sandbox.pipeIds?.[0]}`)).status).toBe(200);
  expect(list(await call(sandbox, "GET", "pipes")).map(({ id }) => id)).toEqual(sandbox.pipeIds);
  const other = await call(sandbox, "GET", "dashboards/00000000-0000-4000-8000-000000000000");
  expect(json(other)["error"]).toBe("Params validation failed: id: Invalid ObjectId");
  const made = record(await call(sandbox, "POST", "dashboards", { name: "d", tiles: [markdownTile("a")] }));
  expect([made.id, children(made, "tiles")[0]?.id].every((id) => HEX.test(String(id)))).toBe(true);
});

test.each([{ ids: "uuid" }, { strict: true }] as const)("%j makes no sense on self-hosted", async (options) => {
  await expect(startSandbox({ variant: "self-hosted", ...options })).rejects.toMatchObject({ code: "sandbox-usage" });
});
