import { describe, expect, it } from "vitest";
import { importInto, outcomeOf, writesOn, type JsonObject, type StackRecord } from "../../support/import-stage.ts";
import { memoryStack, type MemoryStack } from "../../support/memory-stack.ts";
import {
  alert,
  dashboard,
  heatmap,
  hexId,
  rawSql,
  records,
  source,
  tileWith,
  webhook,
} from "../../support/stack-records.ts";

// A stack shows tiles and alerts of a form that it refuses when they are sent back.

type Side = "a" | "b";

const KINDS = ["log", "trace", "session"];
const [LOGS, TRACES, SESSIONS] = [1, 2, 3];
const [ours, theirs] = [(of: number) => hexId("a", of), (of: number) => hexId("b", of)];
const connectionOf = (side: Side): string => hexId("c", side === "a" ? 1 : 2);

/** Returns what dashboards and alerts of a side need. @param kinds of its three sources */
const neededOn = (side: Side, kinds = KINDS) => ({
  sources: KINDS.map((name, at) => ({
    ...source(hexId(side, at + 1), name, connectionOf(side)),
    kind: kinds[at] ?? "",
  })),
  connections: [{ id: connectionOf(side), name: "Main", host: "http://store", username: "r" }],
  webhooks: [webhook(hexId(side, 12), "oncall")],
});

/** Returns "Overview" with one tile for each of these configurations, side by side. */
const overview = (side: Side, configs: readonly JsonObject[], more: JsonObject = {}): JsonObject => {
  const tiles = configs.map((config, at) => tileWith(hexId(side, 64 + at), `Tile ${at}`, config, { x: at, w: 1 }));
  return dashboard(hexId(side, 16), "Overview", "", { ...more, tiles });
};

/** Returns an archive of the dashboard. @param onTile members of an alert on its first tile; none by default */
function archiveOf(configs: readonly JsonObject[], onTile?: JsonObject): StackRecord[] {
  const board = overview("a", configs);
  const alerts = onTile === undefined ? [] : [alert(hexId("a", 32), "Busy", board, ours(12), onTile)];
  return records({ dashboards: [board], alerts, ...neededOn("a") });
}

/** Makes a target. @param configs of the dashboard that it has; none by default */
const target = (configs?: readonly JsonObject[], kinds = KINDS): MemoryStack =>
  memoryStack({
    dashboards: configs === undefined ? [] : [overview("b", configs, { tags: ["theirs"] })],
    alerts: [],
    ...neededOn("b", kinds),
  });

const select = [{ aggFn: "count", where: "", whereLanguage: "lucene" }];
const line = (id: string): JsonObject => ({ displayType: "line", sourceId: id, fillNulls: true, select });
const formula = (id: string, expression = "A * 2"): JsonObject => ({ ...line(id), formulas: [{ expression }] });
const sql = (side: Side, displayType: string, sqlTemplate: string): JsonObject => ({
  ...rawSql(connectionOf(side), sqlTemplate, displayType),
  ...(displayType === "line" && { fillNulls: true }),
});

/** Returns the record's code or, without one, its action. */
const endOf = (run: Parameters<typeof outcomeOf>[0], name: string): string | undefined =>
  outcomeOf(run, name)?.code ?? outcomeOf(run, name)?.action;

describe("a tile that the API takes on no source of this kind", () => {
  const refused = "would-be-refused";

  it.each<[what: string, archived: JsonObject[], there: JsonObject[] | undefined, end: string]>([
    ["a new heatmap without a value", [heatmap(ours(TRACES), "")], undefined, refused],
    ["a new heatmap of logs", [heatmap(ours(LOGS))], undefined, refused],
    ["a new heatmap of traces", [heatmap(ours(TRACES))], undefined, "create"],
    ["a new formula on sessions", [formula(ours(SESSIONS))], undefined, refused],
    ["a new formula on logs", [formula(ours(LOGS))], undefined, "create"],
    ["a heatmap without a value that was there", [heatmap(ours(TRACES), "")], [heatmap(theirs(TRACES), "")], refused],
    ["a heatmap of logs beside others", [line(ours(LOGS)), heatmap(ours(LOGS))], [line(theirs(LOGS))], refused],
    ["a heatmap that was there, of traces until now", [heatmap(ours(LOGS))], [heatmap(theirs(TRACES))], refused],
    ["a heatmap that was there on these logs", [heatmap(ours(LOGS))], [heatmap(theirs(LOGS))], "update"],
    ["a heatmap of traces beside others", [line(ours(LOGS)), heatmap(ours(TRACES))], [line(theirs(LOGS))], "update"],
    ["a line of sessions that gets a formula", [formula(ours(SESSIONS))], [line(theirs(SESSIONS))], refused],
    ["another formula of sessions", [formula(ours(SESSIONS), "A * 3")], [formula(theirs(SESSIONS))], refused],
    ["the formula of sessions that was there", [formula(ours(SESSIONS))], [formula(theirs(SESSIONS))], "update"],
    ["a formula that moves from logs to sessions", [formula(ours(SESSIONS))], [formula(theirs(LOGS))], refused],
    ["a formula that moves to logs", [formula(ours(LOGS))], [formula(theirs(SESSIONS))], "update"],
    [
      "a formula that a pie does not keep",
      [{ ...formula(ours(SESSIONS)), displayType: "pie" }],
      [line(theirs(SESSIONS))],
      "update",
    ],
  ])("blocks its dashboard before the write, also under --fit-limits: %s", async (_what, archived, there, end) => {
    for (const fitLimits of [false, true]) {
      const stack = target(there);
      const run = await importInto(stack, archiveOf(archived), { onConflict: "overwrite", fitLimits });
      expect([endOf(run, "Overview"), run.exitCode]).toEqual([end, end === refused ? 3 : 0]);
      expect(writesOn(stack)).toEqual(end === refused ? [] : [`${end} dashboards`]);
    }
  });

  it.each<[what: string, kindsThere: string[], action: "create" | "blocked"]>([
    ["takes it, whatever the archive calls that source", ["trace", "log", "session"], "create"],
    ["is of another kind than the archive's", ["log", "session", "trace"], "blocked"],
  ])("goes by the target's source, which %s", async (_what, kindsThere, action) => {
    const stack = target(undefined, kindsThere);
    const mapping = { sources: { [ours(LOGS)]: theirs(LOGS), [ours(TRACES)]: theirs(TRACES) } };
    const archive = archiveOf([heatmap(ours(action === "create" ? LOGS : TRACES))]);
    const run = await importInto(stack, archive, { mapping });
    expect(outcomeOf(run, "Overview")).toMatchObject({ action });
    expect(writesOn(stack)).toEqual(action === "create" ? ["create dashboards"] : []);
  });

  it("is known of a source that only the target has told of", async () => {
    const stack = target();
    const archive = records({ dashboards: [overview("a", [heatmap(theirs(LOGS))])] });
    const run = await importInto(stack, archive);
    expect(outcomeOf(run, "Overview")).toMatchObject({ action: "blocked", code: refused });
    expect(writesOn(stack)).toEqual([]);
  });
});

describe("an alert whose own answer is refused when it is sent back", () => {
  const now = Date.UTC(2026, 0, 1);
  const start = (at: string): JsonObject => ({ scheduleStartAt: at, interval: "15m" });
  const [boardAlone, both] = [["create dashboards"], ["create dashboards", "create alerts"]];

  it.each<[what: string, config: JsonObject, members: JsonObject, end: string]>([
    ["a start eleven years ago", line(ours(LOGS)), start("2014-12-30T06:07:00.000Z"), "would-be-refused"],
    ["a start nine years ago", line(ours(LOGS)), start("2017-01-01T06:07:00.000Z"), "create"],
    ["a start two years ahead", line(ours(LOGS)), start("2028-01-01T00:00:00.000Z"), "would-be-refused"],
    ["raw SQL of a line without an interval", sql("a", "line", "SELECT 1"), {}, "would-be-refused"],
    ["raw SQL of a table", sql("a", "table", "SELECT {intervalSeconds:Int64}"), {}, "would-be-refused"],
    ["raw SQL of a line with a parameter", sql("a", "line", "SELECT {intervalSeconds:Int64}"), {}, "create"],
    ["raw SQL of bars with a macro", sql("a", "stacked_bar", "SELECT $__timeInterval(ts)"), {}, "create"],
    ["raw SQL of a number", sql("a", "number", "SELECT 1"), {}, "create"],
  ])("is blocked before the write, also under --fit-limits: %s", async (_what, config, members, end) => {
    for (const fitLimits of [false, true]) {
      const stack = target();
      const run = await importInto(stack, archiveOf([config], members), { fitLimits, now });
      expect(endOf(run, "Busy")).toBe(end);
      expect(writesOn(stack)).toEqual(end === "create" ? both : boardAlone);
    }
  });
});

describe("an alert on a tile that is otherwise on the target", () => {
  const plain = (side: Side): JsonObject => sql(side, "line", "SELECT 1");
  const timed = (side: Side): JsonObject => sql(side, "line", "SELECT {intervalSeconds:Int64}");
  const updated = "update dashboards";

  it.each<[string, archived: JsonObject, there: JsonObject, onConflict: "keep" | "overwrite", sent: string[]]>([
    ["the target's SQL has no interval, and stays", timed("a"), plain("b"), "keep", []],
    ["the target's SQL has no interval, and gets one", timed("a"), plain("b"), "overwrite", [updated, "create alerts"]],
    ["the archive's SQL has no interval, and the target's stays", plain("a"), timed("b"), "keep", ["create alerts"]],
    ["the archive's SQL has no interval, and comes", plain("a"), timed("b"), "overwrite", [updated]],
  ])("is judged by the tile that it will watch: %s", async (_what, archived, there, onConflict, sent) => {
    const stack = target([there]);
    const run = await importInto(stack, archiveOf([archived], {}), { onConflict });
    expect(endOf(run, "Busy")).toBe(sent.includes("create alerts") ? "create" : "would-be-refused");
    expect(writesOn(stack)).toEqual(sent);
  });
});
