import { expect, test } from "vitest";
import type { Sandbox } from "../../../src/sandbox/start-sandbox.ts";
import { startSandbox } from "../../../src/sandbox/start-sandbox.ts";
import { call, children, json, list, markdownTile, member, record } from "./call.ts";

const HEX = /^[0-9a-f]{24}$/;
const bare = (strict = false) => startSandbox({ variant: "managed", seed: "bare", strict });
const tile = (config: object) => ({ name: "t", x: 0, y: 0, w: 6, h: 4, config });

/** A tile of each display type with the members that the description has and a self-hosted server does not show. */
function tiles(sourceId: string, traceId: string, connectionId: string): readonly object[] {
  const select = [{ aggFn: "count", numberFormat: { output: "throughput", numericUnit: "rps", mantissa: 1 } }];
  const over = { sourceId, select, alignDateRangeToGranularity: false };
  const external = { type: "external", urlTemplate: "https://example.com/{{x}}" };
  const raw = { configType: "sql", connectionId, sqlTemplate: "SELECT 1" };
  const rule = { color: "chart-red", label: "hot" };
  const colorRules = [
    { operator: "gt", value: 1, ...rule },
    { operator: "between", value: [1, 2], ...rule },
    { operator: "neq", value: "x", ...rule },
  ];
  const backgroundChart = { type: "area", color: "chart-blue" };
  return [
    { displayType: "line", ...over, fitYAxisToData: true, compareToPreviousPeriod: true },
    { displayType: "stacked_bar", ...over, groupBy: "a" },
    { displayType: "table", sourceId, select, having: "a > 1", groupByColumnsOnLeft: true, onClick: external },
    { displayType: "number", sourceId, select, color: "chart-success", colorRules, backgroundChart },
    { displayType: "pie", sourceId, select, orderBy: "a", limit: 5 },
    { displayType: "bar", sourceId, select, groupBy: "a", limit: 5 },
    { displayType: "heatmap", sourceId: traceId, select: [{ valueExpression: "d", heatmapScaleType: "log" }] },
    { displayType: "search", sourceId, select: "Body", whereLanguage: "sql" },
    { displayType: "event_patterns", sourceId, whereLanguage: "lucene" },
    { displayType: "markdown", markdown: "m" },
    { ...raw, displayType: "table", onClick: external, numberFormat: { output: "byte", decimalBytes: true } },
    { ...raw, displayType: "number", color: "chart-gray" },
    { ...raw, displayType: "line", fitYAxisToData: true, fillNulls: false, compareToPreviousPeriod: true },
  ];
}

async function dashboardBody(sandbox: Sandbox) {
  const sources = list(await call(sandbox, "GET", "sources"));
  const [log, trace] = ["log", "trace"].map((kind) => sources.find((source) => source["kind"] === kind));
  const container = { id: "c", title: "C", collapsed: false, collapsible: true, bordered: false };
  const filter = { type: "QUERY_EXPRESSION", name: "f", expression: "e", sourceId: log?.id, sourceMetricType: "gauge" };
  return {
    name: "all",
    tiles: tiles(log?.id ?? "", trace?.id ?? "", String(log?.["connection"])).map(tile),
    containers: [container],
    filters: [filter],
    savedFilterValues: [{ condition: "a IN ('b')" }],
  };
}

test.each([true, false])("everything that is described is taken and kept (strict: %s)", async (strict) => {
  await using sandbox = await bare(strict);
  const body = await dashboardBody(sandbox);
  const created = await call(sandbox, "POST", "dashboards", body);
  expect([created.status, created.text.slice(0, 300)]).toEqual([200, expect.any(String)]);
  const dashboard = record(created);
  const configs = children(dashboard, "tiles").map((each) => member(each, "config"));
  expect(configs).toMatchObject(body.tiles.map(({ config }) => config));
  expect(dashboard).toMatchObject({ containers: body.containers, filters: body.filters });
});

const badTiles: readonly (readonly [string, object])[] = [
  ["an unknown aggregate", { displayType: "line", select: [{ aggFn: "p95" }] }],
  ["an unknown colour", { displayType: "number", select: [{ aggFn: "count" }], color: "red" }],
  ["an unknown unit", { displayType: "pie", select: [{ aggFn: "count", numberFormat: { numericUnit: "furlongs" } }] }],
  ["an expression beside a count", { displayType: "pie", select: [{ aggFn: "count", valueExpression: "" }] }],
  ["a search without its language", { displayType: "search", select: "Body" }],
  [
    "a rule between one number",
    {
      displayType: "number",
      select: [{ aggFn: "count" }],
      colorRules: [{ operator: "between", value: 1, color: "chart-red" }],
    },
  ],
];

test.each(badTiles)("%s is refused", async (_, config) => {
  await using sandbox = await bare();
  const [source] = list(await call(sandbox, "GET", "sources"));
  const refused = await call(sandbox, "POST", "dashboards", {
    name: "x",
    tiles: [tile({ sourceId: source?.id, ...config })],
  });
  expect(refused.status).toBe(400);
});

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

test("an alert keeps what its channel says, and its nulls", async () => {
  await using sandbox = await bare(true);
  const more = { webhookService: "slack_api", slackChannelId: "C1", severity: "warning" };
  const nulls = { thresholdMax: null, scheduleOffsetMinutes: null, scheduleStartAt: null, name: null, groupBy: null };
  const alert = {
    ...(await alertBody(sandbox)),
    ...nulls,
    savedSearchId: null,
    channel: { ...webhook(sandbox), ...more },
  };
  const created = record(await call(sandbox, "POST", "alerts", alert));
  expect(created).toMatchObject(alert);
  expect(created).not.toHaveProperty("channels");
  expect(list(await call(sandbox, "GET", "alerts"))).toEqual([created]);
});

test.each(["table", "pie", "bar"])("an alert on a %s tile is refused", async (displayType) => {
  await using sandbox = await bare();
  const body = { ...(await alertBody(sandbox, displayType)), channel: webhook(sandbox) };
  expect((await call(sandbox, "POST", "alerts", body)).status).toBe(400);
});

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
      const { filters } = await dashboardBody(sandbox);
      return [
        "dashboards",
        { name: "x", tiles: [], filters: filters.map((each) => ({ ...each, isVariableEnabled: true })) },
      ];
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
