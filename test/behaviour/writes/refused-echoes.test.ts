import { describe, expect, it } from "vitest";
import {
  importStage,
  outcomeOf,
  bodiesSentTo,
  writesOn,
  type JsonObject,
  type StageRun,
} from "../../support/import-stage.ts";
import { memoryStack, type MemoryStack } from "../../support/memory-stack.ts";
import { alert, dashboard, heatmap, hexId, rawSql, records, source, webhook } from "../../support/stack-records.ts";

const now = Date.UTC(2026, 0, 1);
const kindsOfSources = ["log", "trace", "session"] as const;
const sourcesOf = (letter: "a" | "b"): JsonObject[] =>
  kindsOfSources.map((kind, index) => ({
    ...source(hexId(letter, index + 1), kind, hexId("c", letter === "a" ? 1 : 2)),
    kind,
  }));
const [logs, traces, sessions] = [hexId("a", 1), hexId("a", 2), hexId("a", 3)];

const overview = (config: JsonObject): JsonObject => {
  const board = dashboard(hexId("a", 16), "Overview", logs);
  const [tile] = board["tiles"] as JsonObject[];
  return { ...board, tiles: [{ ...tile, config }] };
};
const select = [{ aggFn: "count", where: "", whereLanguage: "lucene" }];
const line = { displayType: "line", sourceId: logs, fillNulls: true, select };
const sql = (displayType: string, sqlTemplate: string): JsonObject => rawSql(hexId("c", 1), sqlTemplate, displayType);

const formula = (sourceId: string): JsonObject => ({ ...line, sourceId, formulas: [{ expression: "A * 2" }] });
const linking = (id: string): JsonObject => ({
  ...line,
  displayType: "table",
  onClick: { type: "dashboard", target: { mode: "id", id } },
});

const archiveOf = (config: JsonObject, alertMembers?: JsonObject) => {
  const board = overview(config);
  const busy = alert(hexId("a", 32), "Busy", board, hexId("a", 12), alertMembers);
  return records({
    dashboards: [board],
    alerts: alertMembers === undefined ? [] : [busy],
    sources: sourcesOf("a"),
    connections: [{ id: hexId("c", 1), name: "Main", host: "http://store", username: "r" }],
    webhooks: [webhook(hexId("a", 12), "oncall")],
  });
};
const target = (more: Record<string, JsonObject[]> = {}): MemoryStack =>
  memoryStack({
    dashboards: [],
    alerts: [],
    sources: sourcesOf("b"),
    connections: [{ id: hexId("c", 2), name: "Main", host: "http://store", username: "r" }],
    webhooks: [webhook(hexId("b", 12), "oncall")],
    ...more,
  });

/**
 * Returns the record's code or action, and the writes that were sent. For a blocked record, no write is sent that the server
 * would refuse.
 */
const ending = (run: StageRun, stack: MemoryStack, name: string) => ({
  code: outcomeOf(run, name)?.code ?? outcomeOf(run, name)?.action,
  writes: writesOn(stack),
});
const SENT = ["create dashboards", "create alerts"];
const BLOCKED = ["create dashboards"];

describe("an alert whose own answer is refused when it is sent back", () => {
  const start = (at: string): JsonObject => ({ scheduleStartAt: at, interval: "15m" });
  it.each<[what: string, config: JsonObject, members: JsonObject, plain: string, fitted: string]>([
    ["a start eleven years ago", line, start("2014-12-30T06:07:00.000Z"), "would-be-refused", "would-be-refused"],
    ["a start nine years ago", line, start("2017-01-01T06:07:00.000Z"), "create", "create"],
    ["a start two years ahead", line, start("2028-01-01T00:00:00.000Z"), "would-be-refused", "would-be-refused"],
    ["raw SQL of a line without an interval", sql("line", "SELECT 1"), {}, "would-be-refused", "would-be-refused"],
    ["raw SQL of a table", sql("table", "SELECT {intervalSeconds:Int64}"), {}, "would-be-refused", "would-be-refused"],
    ["raw SQL of a line with a parameter", sql("line", "SELECT {intervalSeconds:Int64}"), {}, "create", "create"],
    ["raw SQL of bars with a macro", sql("stacked_bar", "SELECT $__timeInterval(ts)"), {}, "create", "create"],
    ["raw SQL of a number", sql("number", "SELECT 1"), {}, "create", "create"],
  ])("is blocked or fitted before the write: %s", async (_what, config, members, plain, fitted) => {
    for (const [fitLimits, code] of [
      [false, plain],
      [true, fitted],
    ] as const) {
      const stack = target();
      const run = await importStage(stack).run(archiveOf(config, members), { fitLimits, now });
      expect(ending(run, stack, "Busy")).toEqual({ code, writes: code === "create" ? SENT : BLOCKED });
    }
  });
});

describe("an alert with an offset that --fit-limits changes", () => {
  const archive = archiveOf(line, { scheduleOffsetMinutes: 17, interval: "15m" });

  it("does not count as changed at the source if somebody has changed it on the target", async () => {
    const stack = target();
    const stage = importStage(stack);
    await stage.run(archive, { fitLimits: true, now });
    for (const [id, there] of stack.records.get("alerts") ?? []) {
      stack.records.get("alerts")?.set(id, { ...there, threshold: 99 });
    }
    const run = await stage.run(archive, { fitLimits: true, now });
    expect(outcomeOf(run, "Busy")).toMatchObject({ action: "skip", code: "edited" });
  });
});

describe("a dashboard whose own answer is refused when it is sent back", () => {
  it.each<[what: string, config: JsonObject, code: string]>([
    ["a heatmap without a value", heatmap(traces, ""), "would-be-refused"],
    ["a heatmap of logs", heatmap(logs, "Duration"), "would-be-refused"],
    ["a heatmap of traces", heatmap(traces, "Duration"), "create"],
    ["a formula on sessions", formula(sessions), "would-be-refused"],
    ["a formula on logs", formula(logs), "create"],
  ])("is known before the create, and --fit-limits has no other form: %s", async (_what, config, code) => {
    for (const fitLimits of [false, true]) {
      const stack = target();
      const run = await importStage(stack).run(archiveOf(config), { fitLimits, now });
      expect(ending(run, stack, "Overview")).toEqual({ code, writes: code === "create" ? BLOCKED : [] });
    }
  });

  it("is updated where the server waives the rule, and not where it does not", async () => {
    const there = (config: JsonObject): JsonObject => ({ ...overview(config), id: hexId("b", 16), tags: ["theirs"] });
    for (const [config, action] of [
      [heatmap(logs, "Duration"), "update"],
      [heatmap(traces, ""), "blocked"],
    ] as const) {
      const stack = target({
        dashboards: [there({ ...config, sourceId: hexId("b", config["sourceId"] === logs ? 1 : 2) })],
      });
      const run = await importStage(stack).run(archiveOf(config), { onConflict: "overwrite", now });
      expect(outcomeOf(run, "Overview")).toMatchObject({ action });
      expect(writesOn(stack)).toEqual(action === "update" ? ["update dashboards"] : []);
    }
  });

  it("is written without its link to a dashboard that was deleted before the export, and the plan says so", async () => {
    const stack = target();
    const stage = importStage(stack);
    const archive = archiveOf(linking(hexId("a", 99)));
    const run = await stage.run(archive, { whole: new Set(["dashboards"]) });
    expect(ending(run, stack, "Overview")).toEqual({ code: "create", writes: ["create dashboards"] });
    expect(run.plan.warnings).toMatchObject([{ code: "left-out", pointer: "/tiles/0/config/onClick/target/id" }]);
    expect(JSON.stringify(bodiesSentTo(stack, "create dashboards"))).not.toContain("onClick");
    const again = await stage.run(archive, { whole: new Set(["dashboards"]) });
    expect(outcomeOf(again, "Overview")).toMatchObject({ action: "unchanged" });
  });

  it("is updated without such a link, too", async () => {
    const stack = target();
    const stage = importStage(stack);
    const options = { onConflict: "overwrite", whole: new Set(["dashboards"] as const) } as const;
    await stage.run(archiveOf(linking(hexId("a", 99))), options);
    const edited = archiveOf({ ...linking(hexId("a", 99)), groupBy: "ServiceName" });
    expect(outcomeOf(await stage.run(edited, options), "Overview")).toMatchObject({ action: "update", status: "done" });
    expect(outcomeOf(await stage.run(edited, options), "Overview")).toMatchObject({ action: "unchanged" });
  });

  it("is blocked where the dashboard that it links to may still be there", async () => {
    const stack = target();
    const run = await importStage(stack).run(archiveOf(linking(hexId("a", 99))));
    expect(ending(run, stack, "Overview")).toEqual({ code: "missing-reference", writes: [] });
  });
});
