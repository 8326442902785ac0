import { describe, expect, it } from "vitest";
import type { JsonObject } from "../support/import-stage.ts";
import { importStage, outcomeOf, writesOn } from "../support/import-stage.ts";
import type { MemoryStack } from "../support/memory-stack.ts";
import { memoryStack } from "../support/memory-stack.ts";
import { alert, dashboard, heatmap, hexId, rawSql, records, source, webhook } from "../support/stack-records.ts";

const sourcesOf = (letter: "a" | "b", kinds: readonly string[] = ["log", "trace", "session"]): JsonObject[] =>
  ["Logs", "Traces", "Sessions"].map((name, index) => ({
    ...source(hexId(letter, index + 1), name, hexId("c", letter === "a" ? 1 : 2)),
    kind: kinds[index] ?? "",
  }));
const [LOGS, TRACES, SESSIONS] = [1, 2, 3];

/** "Overview" with tiles of these configurations, side by side. */
const overview = (letter: "a" | "b", configs: readonly JsonObject[], more: JsonObject = {}): JsonObject => {
  const tiles = configs.map((config, index) => ({
    id: hexId(letter, 64 + index),
    name: `Tile ${index}`,
    x: index,
    y: 0,
    w: 1,
    h: 3,
    config,
  }));
  return { ...dashboard(hexId(letter, 16), "Overview", "", more), tiles };
};
const select = [{ aggFn: "count", where: "", whereLanguage: "lucene" }];
const line = (id: string): JsonObject => ({ displayType: "line", sourceId: id, fillNulls: true, select });
const formula = (id: string, expression = "A * 2"): JsonObject => ({ ...line(id), formulas: [{ expression }] });

const sql = (sqlTemplate: string): JsonObject => ({ ...rawSql(hexId("c", 1), sqlTemplate, "line"), fillNulls: true });

const target = (there: readonly JsonObject[], more: Record<string, JsonObject[]> = {}): MemoryStack =>
  memoryStack({
    dashboards: [overview("b", there, { tags: ["theirs"] })],
    alerts: [],
    sources: sourcesOf("b"),
    connections: [{ id: hexId("c", 1), name: "Main", host: "http://store", username: "r" }],
    webhooks: [webhook(hexId("b", 12), "oncall")],
    ...more,
  });

const update = { onConflict: "update" } as const;

describe("an update with a heatmap or formula on a source on which the API takes no new one", () => {
  const [a, b] = [(of: number) => hexId("a", of), (of: number) => hexId("b", of)];
  it.each<[what: string, archived: JsonObject[], there: JsonObject[], action: "update" | "blocked"]>([
    ["a heatmap of logs beside what is there", [line(a(LOGS)), heatmap(a(LOGS))], [line(b(LOGS))], "blocked"],
    ["a heatmap that was there, of traces until now", [heatmap(a(LOGS))], [heatmap(b(TRACES))], "blocked"],
    ["a heatmap that was there on these logs", [heatmap(a(LOGS))], [heatmap(b(LOGS))], "update"],
    ["a new heatmap of traces", [line(a(LOGS)), heatmap(a(TRACES))], [line(b(LOGS))], "update"],
    ["a line of sessions that gets a formula", [formula(a(SESSIONS))], [line(b(SESSIONS))], "blocked"],
    ["another formula of sessions", [formula(a(SESSIONS), "A * 3")], [formula(b(SESSIONS))], "blocked"],
    ["the formula of sessions that was there", [formula(a(SESSIONS))], [formula(b(SESSIONS))], "update"],
    ["a formula that moves from logs to sessions", [formula(a(SESSIONS))], [formula(b(LOGS))], "blocked"],
    ["a formula that moves to logs", [formula(a(LOGS))], [formula(b(SESSIONS))], "update"],
    [
      "a formula that a pie does not keep",
      [{ ...formula(a(SESSIONS)), displayType: "pie" }],
      [line(b(SESSIONS))],
      "update",
    ],
  ])("is known before the write: %s", async (_what, archived, there, action) => {
    const stack = target(there);
    const archive = records({ dashboards: [overview("a", archived)], sources: sourcesOf("a") });
    const run = await importStage(stack).run(archive, update);
    const code = action === "blocked" ? { code: "unfit-source" } : {};
    expect(outcomeOf(run, "Overview")).toMatchObject({ action, ...code });
    expect(writesOn(stack)).toEqual(action === "update" ? ["update dashboards"] : []);
  });

  it.each<[what: string, kindsThere: string[], action: "create" | "blocked"]>([
    ["takes it, whatever the archive calls that source", ["trace", "log", "session"], "create"],
    ["is of another kind than the archive's", ["log", "session", "trace"], "blocked"],
  ])("goes by the target's source, which %s", async (_what, kindsThere, action) => {
    const stack = target([], { dashboards: [], sources: sourcesOf("b", kindsThere) });
    const tile = action === "create" ? heatmap(a(LOGS)) : heatmap(a(TRACES));
    const archive = records({ dashboards: [overview("a", [tile])], sources: sourcesOf("a") });
    const mapping = { sources: { [a(LOGS)]: b(1), [a(TRACES)]: b(2) } };
    const run = await importStage(stack).run(archive, { mapping });
    expect(outcomeOf(run, "Overview")).toMatchObject({ action });
    expect(writesOn(stack)).toEqual(action === "create" ? ["create dashboards"] : []);
  });

  it("is known of a source that only the target has told of", async () => {
    const stack = target([], { dashboards: [] });
    const archive = records({ dashboards: [overview("a", [heatmap(b(LOGS))])] });
    const run = await importStage(stack).run(archive);
    expect(outcomeOf(run, "Overview")).toMatchObject({ action: "blocked", code: "unfit-source" });
    expect(writesOn(stack)).toEqual([]);
  });
});

describe("an alert on a tile that is otherwise on the target", () => {
  const [plain, timed] = [sql("SELECT 1"), sql("SELECT {intervalSeconds:Int64}")];
  it.each<[what: string, archived: JsonObject, there: JsonObject, onConflict: "skip" | "update", sent: string[]]>([
    ["the target's SQL has no interval, and stays", timed, plain, "skip", []],
    ["the target's SQL has no interval, and gets one", timed, plain, "update", ["update dashboards", "create alerts"]],
    ["the archive's SQL has no interval, and the target's stays", plain, timed, "skip", ["create alerts"]],
    ["the archive's SQL has no interval, and comes", plain, timed, "update", ["update dashboards"]],
  ])("is judged by the tile that it will watch: %s", async (_what, archived, there, onConflict, sent) => {
    const stack = target([there]);
    const board = overview("a", [archived]);
    const busy = alert(hexId("a", 32), "Busy", board, hexId("a", 12));
    const archive = records({
      dashboards: [board],
      alerts: [busy],
      connections: [{ id: hexId("c", 1), name: "Main", host: "http://store", username: "r" }],
      webhooks: [webhook(hexId("a", 12), "oncall")],
    });
    const run = await importStage(stack).run(archive, { onConflict });
    const taken = sent.includes("create alerts");
    expect(outcomeOf(run, "Busy")).toMatchObject(
      taken ? { action: "create" } : { action: "blocked", code: "unfit-tile" },
    );
    expect(writesOn(stack)).toEqual(sent);
  });
});
