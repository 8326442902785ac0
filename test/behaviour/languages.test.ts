import { describe, expect, it } from "vitest";
import { importStage, writesOn, type JsonObject } from "../support/import-stage.ts";
import { memoryStack, type MemoryStack } from "../support/memory-stack.ts";
import { rollBack } from "../support/rollback-runs.ts";
import { dashboard, hexId, records, source, archiveIds, targetIds } from "../support/stack-records.ts";

// A heatmap needs a source of traces.
const logs = { ...source(archiveIds.source, "Traces", hexId("c", 1)), kind: "trace" };
const theirs = { ...source(targetIds.source, "Traces", hexId("c", 2)), kind: "trace" };
const board = dashboard(hexId("a", 16), "Board", archiveIds.source);
const theirBoard = dashboard(hexId("b", 16), "Board", targetIds.source);

const tile = (number: number, config: JsonObject): JsonObject => ({
  id: hexId("d", number),
  name: `T${number}`,
  config: { sourceId: archiveIds.source, ...config },
});

/** A dashboard in which no query names its language. */
const dashboardWithoutLanguages: JsonObject = {
  ...board,
  tiles: [
    tile(1, { displayType: "line", select: [{ aggFn: "count", where: "SpanKind:Server" }, { aggFn: "count" }] }),
    tile(2, { displayType: "search", select: "", where: "a:b" }),
    tile(3, { displayType: "event_patterns", select: "" }),
    tile(4, { displayType: "heatmap", select: [{ valueExpression: "Duration" }], where: "a:b" }),
    tile(5, { displayType: "table", select: [], onClick: { type: "external", urlTemplate: "https://example.com" } }),
    tile(6, {
      displayType: "table",
      select: [],
      onClick: { type: "search", target: { mode: "template", template: "Logs" }, whereTemplate: "a:b" },
    }),
  ],
  filters: [
    {
      id: hexId("e", 1),
      type: "QUERY_EXPRESSION",
      name: "F",
      expression: "A",
      sourceId: archiveIds.source,
      where: "A = 1",
    },
  ],
  savedQuery: "a:b",
};

const SPOKEN = [
  { select: [{ whereLanguage: "lucene" }, { whereLanguage: "lucene" }] },
  { whereLanguage: "lucene" },
  { whereLanguage: "lucene" },
  { whereLanguage: "lucene", select: [{ valueExpression: "Duration" }] },
  { onClick: { type: "external", urlTemplate: "https://example.com" } },
  { onClick: { whereLanguage: "lucene" } },
];

const target = (dashboards: readonly JsonObject[] = []): MemoryStack =>
  memoryStack({ sources: [theirs], dashboards, alerts: [], "saved-searches": [] });

const sentOf = (stack: MemoryStack, operation: string): JsonObject | undefined =>
  stack.requests.findLast((request) => request.operation === operation)?.body;

describe("the language of a condition", () => {
  const spoken = {
    tiles: SPOKEN.map((config) => ({ config })),
    filters: [{ where: "A = 1", whereLanguage: "sql" }],
    savedQuery: "a:b",
    savedQueryLanguage: "lucene",
  };

  it.each<[string, readonly JsonObject[]]>([
    ["create", []],
    ["update", [theirBoard]],
  ])("is sent by each %s, whether the record says it or not", async (operation, there) => {
    const stack = target(there);
    await importStage(stack).run(records({ dashboards: [dashboardWithoutLanguages], sources: [logs] }), {
      onConflict: "overwrite",
    });
    expect(sentOf(stack, `${operation} dashboards`)).toMatchObject(spoken);
  });

  it("is sent by the second write of a link", async () => {
    const link = { type: "dashboard", target: { mode: "id", id: board["id"] ?? "" } };
    const linked = {
      ...dashboardWithoutLanguages,
      tiles: [tile(1, { displayType: "table", select: [{ aggFn: "count" }], onClick: link })],
    };
    const stack = target();
    await importStage(stack).run(records({ dashboards: [linked], sources: [logs] }));
    expect(sentOf(stack, "update dashboards")).toMatchObject({
      tiles: [{ config: { select: [{ whereLanguage: "lucene" }] } }],
      savedQueryLanguage: "lucene",
    });
  });

  it("is sent by a rollback that puts back what says none", async () => {
    const silent = {
      ...theirBoard,
      filters: [{ ...(dashboardWithoutLanguages["filters"] as JsonObject[])[0], sourceId: targetIds.source }],
      savedQuery: "a:b",
      savedQueryLanguage: null,
    };
    const stack = target([silent]);
    const stage = importStage(stack);
    await stage.run(records({ dashboards: [{ ...board, tags: ["new"] }], sources: [logs] }), {
      onConflict: "overwrite",
    });
    await rollBack(stack, stage.history);
    expect(sentOf(stack, "update dashboards")).toMatchObject({
      filters: [{ whereLanguage: "sql" }],
      savedQuery: "a:b",
      savedQueryLanguage: "lucene",
    });
  });

  it("is sent with a saved search", async () => {
    const search = { id: hexId("a", 48), name: "Errors", sourceId: archiveIds.source, where: "a:b" };
    const stack = target();
    const archive = records({ "saved-searches": [search], sources: [logs] });
    await importStage(stack).run(archive, { create: ["saved-searches"] });
    expect(sentOf(stack, "create saved-searches")).toMatchObject({ where: "a:b", whereLanguage: "lucene" });
  });

  it.each<[string | undefined, string | undefined, string]>([
    [undefined, "sql", "unchanged"],
    ["sql", undefined, "unchanged"],
    [undefined, "lucene", "update"],
    ["lucene", "sql", "update"],
  ])("of a filter, %s against %s there, is %s", async (here, there, action) => {
    const filtered = (body: JsonObject, sourceId: string, whereLanguage: string | undefined): JsonObject => {
      const filter = {
        id: hexId("e", 1),
        type: "QUERY_EXPRESSION",
        name: "F",
        expression: "A",
        sourceId,
        where: "A = 1",
      };
      return { ...body, filters: [{ ...filter, ...(whereLanguage !== undefined && { whereLanguage }) }] };
    };
    const stack = target([filtered(theirBoard, targetIds.source, there)]);
    const archive = records({ dashboards: [filtered(board, archiveIds.source, here)], sources: [logs] });
    const run = await importStage(stack).run(archive, { onConflict: "overwrite" });
    expect(run.plan.items.find(({ name }) => name === "Board")).toMatchObject({ action });
  });
});

describe("a saved query", () => {
  it("is cleared alone: a language of null is refused beside a query", async () => {
    const stack = target([{ ...theirBoard, savedQuery: "a = 1", savedQueryLanguage: "sql" }]);
    await importStage(stack).run(records({ dashboards: [board], sources: [logs] }), { onConflict: "overwrite" });
    const sent = sentOf(stack, "update dashboards");
    expect(sent).toMatchObject({ savedQuery: null });
    expect(sent).not.toHaveProperty("savedQueryLanguage");
  });

  it("beside a language of null is sent with the one that the server would take, and that is told once", async () => {
    const stack = target();
    const stage = importStage(stack);
    const archive = records({
      dashboards: [{ ...board, savedQuery: "a:b", savedQueryLanguage: null }],
      sources: [logs],
    });
    const run = await stage.run(archive);
    expect(sentOf(stack, "create dashboards")).toMatchObject({ savedQuery: "a:b", savedQueryLanguage: "lucene" });
    expect(run.plan.warnings).toMatchObject([{ code: "fitted", pointer: "/savedQueryLanguage" }]);
    const again = await stage.run(archive);
    expect(again.plan.warnings).toEqual([]);
    expect(writesOn(stack)).toHaveLength(1);
  });
});
