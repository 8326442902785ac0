import { describe, expect, it } from "vitest";
import { recordsOn } from "../../support/on-stack.ts";
import {
  importInto,
  outcomeOf,
  warningMessages,
  type JsonObject,
  type RunOptions,
  type StageRun,
} from "../../support/import-stage.ts";
import { memoryStack } from "../../support/memory-stack.ts";
import { dashboard, hexId, records, source, archiveIds, targetIds } from "../../support/stack-records.ts";
import { fromOtherStack } from "../../support/import-samples.ts";

// A fresh installation has a connection and sources of its own. They never match the archive's records if the data is on
// another host, in another database or in another table.

const CONNECTION = hexId("c", 1);
const SOURCE = archiveIds.source;
const ours = {
  connections: [{ id: CONNECTION, name: "Production", host: "http://ch.prod:8123", username: "reader" }],
  sources: [source(SOURCE, "App logs", CONNECTION, "app_logs")],
  dashboards: [dashboard(hexId("a", 16), "Board", SOURCE)],
};

interface Fresh {
  readonly connection?: JsonObject;
  readonly source?: JsonObject;
}

/** Returns the target's connection and source, which equal the archive's except for the given members. */
const fresh = ({ connection = {}, source: more = {} }: Fresh) => ({
  connections: [{ ...ours.connections[0], id: hexId("d", 1), ...connection }],
  sources: [{ ...ours.sources[0], id: targetIds.source, connection: hexId("d", 1), ...more }],
});

const secrets = { [`connections/${CONNECTION}`]: { "/password": [{ value: null }] } };
const createBoth = { create: ["connections", "sources"] };

async function imported(there: ReturnType<typeof fresh>, options: RunOptions = {}) {
  const stack = memoryStack({ ...there, webhooks: [], "saved-searches": [], dashboards: [], alerts: [] });
  const again = () => importInto(stack, records(ours), { ...fromOtherStack, secrets, ...options });
  return { stack, run: await again(), again };
}

const matchedIn = ({ plan }: StageRun) => Object.fromEntries(plan.matches.map(({ space, rule }) => [space, rule]));
const table = (databaseName: string, tableName: string) => ({ from: { databaseName, tableName } });
const otherHost = { connection: { host: "http://localhost:8123" } };
const otherNames = { connection: { name: "Local" }, source: { name: "Logs" } };
const otherHostAndNames = { ...otherNames, connection: { ...otherNames.connection, ...otherHost.connection } };

describe("the connection and the source of a fresh installation", () => {
  it.each<[string, Fresh, Readonly<Record<string, string>>]>([
    ["are the same but for their ids", {}, { connections: "equal-content", sources: "equal-content" }],
    ["have other names", otherNames, { connections: "natural-key", sources: "natural-key" }],
    [
      "have the host written otherwise",
      { connection: { host: "HTTP://ch.prod:8123/" } },
      { connections: "natural-key", sources: "equal-content" },
    ],
    [
      "have another user",
      { connection: { username: "default" } },
      { connections: "natural-key", sources: "equal-content" },
    ],
    ["are on another host", otherHost, {}],
    ["are on another host, with other names", otherHostAndNames, {}],
    ["are in another table", { source: table("default", "otel_logs") }, { connections: "equal-content" }],
    ["are in another database", { source: table("other", "app_logs") }, { connections: "equal-content" }],
  ])("are matched by the strongest rule that still fits where they %s", async (_, there, matched) => {
    const { run } = await imported(fresh(there));
    expect(matchedIn(run)).toEqual(matched);
    const isMatched = "sources" in matched;
    expect(outcomeOf(run, "Board")).toMatchObject(isMatched ? { action: "create" } : { code: "missing-reference" });
    const asked = [{ space: "sources", id: SOURCE, candidates: [{ id: targetIds.source }] }];
    expect(run.plan.unresolved).toMatchObject(isMatched ? [] : asked);
  });

  it.each<[string, Fresh]>([
    ["on another host", otherHost],
    ["on another host, under other names", otherHostAndNames],
    ["in another table", { source: table("default", "otel_logs") }],
    ["in another database", { source: table("other", "app_logs") }],
  ])("stay unchanged %s, and the archive's are created beside them once, with their dashboards", async (_, there) => {
    const { stack, run, again } = await imported(fresh(there), createBoth);
    expect(run.exitCode).toBe(0);
    expect(outcomeOf(run, "App logs")).toMatchObject({ action: "create" });
    const [theirSource, made] = recordsOn(stack, "sources");
    const [theirConnection, ...others] = recordsOn(stack, "connections");
    expect([theirConnection, theirSource]).toEqual([fresh(there).connections[0], fresh(there).sources[0]]);
    const connection = [theirConnection, ...others].find((each) => each?.["id"] === made?.["connection"]);
    expect([connection?.["host"], made?.["from"]]).toEqual(["http://ch.prod:8123", ours.sources[0]?.["from"]]);
    expect(made?.["id"]).toBe(outcomeOf(run, "App logs")?.targetId);
    expect(JSON.stringify(recordsOn(stack, "dashboards"))).toContain(String(made?.["id"]));
    stack.requests.length = 0;
    expect((await again()).exitCode).toBe(0);
    expect(stack.requests.filter(({ operation }) => !operation.startsWith("list"))).toEqual([]);
  });

  it("is named beside ours where it is called the same", async () => {
    const { run } = await imported(fresh(otherHost), createBoth);
    const named = [hexId("d", 1), targetIds.source].map((id) => expect.stringContaining(id) as string);
    expect(warningMessages(run.plan, "created-beside")).toEqual(named);
  });

  it.each<[string, RunOptions["mapping"]]>([
    ["its connection", { connections: { Production: "Production" } }],
    ["its source", { sources: { "App logs": "App logs" } }],
  ])("is ours where a map file says so of %s", async (_, mapping) => {
    const { stack, run } = await imported(fresh(otherHost), { mapping: mapping ?? {} });
    expect(outcomeOf(run, "Board")).toMatchObject({ action: "create", status: "done" });
    expect(JSON.stringify(recordsOn(stack, "dashboards"))).toContain(targetIds.source);
  });

  it("does not replace the archive's connection because a map file matches the sources", async () => {
    const there = fresh({ ...otherHost, source: { name: "Logs" } });
    const mapping = { sources: { "App logs": "Logs" } };
    const { stack, run } = await imported(there, { mapping, create: ["connections"] });
    expect(outcomeOf(run, "Production")).toMatchObject({ action: "create", status: "done" });
    expect(recordsOn(stack, "connections").map(({ host }) => host)).toEqual([
      "http://localhost:8123",
      "http://ch.prod:8123",
    ]);
  });

  it("is matched by its name where the stack lists no connections, and the table is the same", async () => {
    const stack = memoryStack({ sources: fresh({}).sources, webhooks: [], dashboards: [], alerts: [] });
    const run = await importInto(stack, records({ ...ours, connections: [] }), fromOtherStack);
    expect(outcomeOf(run, "Board")).toMatchObject({ action: "create", status: "done" });
  });
});

it.each([
  ["the same tables", "otel_metrics_gauge", ["natural-key"]],
  ["another table of gauges", "other_gauge", []],
])("metric sources are matched by the tables of each type: %s", async (_, gauge, rules) => {
  const metrics = (id: string, gaugeTable: string): JsonObject => ({
    ...source(id, "Metrics", CONNECTION, ""),
    kind: "metric",
    metricTables: { gauge: gaugeTable, sum: "otel_metrics_sum" },
  });
  const there = { ...metrics(targetIds.source, gauge), connection: hexId("d", 1), section: "Theirs" };
  const stack = memoryStack({ ...fresh({}), sources: [there], webhooks: [], dashboards: [], alerts: [] });
  const archive = records({ connections: ours.connections, sources: [metrics(SOURCE, "otel_metrics_gauge")] });
  const { plan } = await importInto(stack, archive, { ...fromOtherStack, kinds: ["sources"] });
  expect(plan.matches.flatMap(({ space, rule }) => (space === "sources" ? [rule] : []))).toEqual(rules);
});
