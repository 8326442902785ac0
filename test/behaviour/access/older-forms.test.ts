import { describe, expect, it } from "vitest";
import { objectsIn, type JsonObject } from "../../../src/core/json.ts";
import { answer, codesOf, idOf, programWithAnswers } from "./answers.ts";

describe("apply of older forms", () => {
  it("writes tiles with series as the API answers them, and finds no difference afterwards", async () => {
    await using program = await programWithAnswers(["series.json"]);
    expect(await program.apply()).toMatchObject({ ok: true, counts: { create: 1 } });
    expect(program.tileOf()?.["config"]).toMatchObject({
      displayType: "line",
      sourceId: idOf("b"),
      select: [{ aggFn: "quantile", level: 0.95, valueExpression: "Duration" }],
    });
    expect(await program.differs()).toBe(0);
  });

  it.each([
    ["a type that the API lacks", { type: "histogram" }],
    ["a level that the API lacks", { level: 0.75 }],
    ["no aggFn", { aggFn: undefined }],
  ])("refuses series with %s in the plan, by the name of the tile", async (_, change) => {
    await using program = await programWithAnswers(["dashboard.json"]);
    const { tiles, ...rest } = await answer("series.json");
    const [tile = {}] = objectsIn(tiles);
    const [item] = objectsIn(tile["series"]);
    await program.write("series.json", { ...rest, tiles: [{ ...tile, series: [{ ...item, ...change }] }] });
    const plan = await program.apply("--dry-run");
    expect(codesOf(plan)).toEqual({ Latency: "bad-file" });
    expect(JSON.stringify(plan)).toContain('tile \\"p95\\"');
  });

  it("refuses a dashboard of charts, and any dashboard without tiles, in the plan", async () => {
    await using program = await programWithAnswers(["dashboard.json", "charts.json"]);
    await program.write("dashboards/none.yaml", "name: None\n");
    const applied = await program.apply();
    expect(applied).toMatchObject({ exitCode: 3, counts: { create: 1, blocked: 2 } });
    expect(codesOf(applied)).toEqual({ Errors: "bad-file", None: "bad-file" });
    expect(program.boardNames()).toEqual(["Checkout"]);
  });
});

describe("apply of forms that only the web interface has", () => {
  const place = { x: 0, y: 0, w: 6, h: 3 };
  const board = (config: JsonObject, more: JsonObject = { version: "0.1.0" }): JsonObject => ({
    name: "Metrics",
    tiles: [{ id: "t", ...place, config: { name: "CPU", displayType: "line", source: "Logs", ...config } }],
    ...more,
  });
  const metric = { aggFn: "avg", metricType: "gauge", metricName: "cpu.load", valueExpression: "" };

  async function applied(body: JsonObject) {
    const program = await programWithAnswers(["list-dashboards.json"]);
    await program.write("board.json", body);
    return { ...program, document: await program.apply() };
  }

  it.each([
    ["an export, with names", board({ select: [metric] })],
    ["a record, with ids", board({ select: [metric], source: idOf("b") }, { _id: idOf("d"), team: idOf("f") })],
  ])("writes the tile of a metric with the column that a write needs: %s", async (_, body) => {
    await using program = await applied(body);
    expect(program.document).toMatchObject({ ok: true, counts: { create: 3 } });
    const select = [{ metricName: "cpu.load", valueExpression: "Value" }];
    expect(program.tileOf("Metrics")).toMatchObject({ name: "CPU", config: { sourceId: idOf("b"), select } });
  });

  it.each([
    ["a display type", { displayType: "sankey" }],
    ["an aggregate", { select: [{ ...metric, aggFn: "increase" }] }],
    ["a level", { select: [{ ...metric, aggFn: "quantile", level: 0.7 }] }],
    ["a metric named by SQL", { select: [{ ...metric, metricName: "", metricNameSql: "x" }] }],
    ["a condition of the whole chart", { select: [metric], where: "a:1" }],
  ])("refuses %s that the API lacks, in the plan, by the name of the tile", async (_, config) => {
    await using program = await applied(board({ select: [metric], ...config }));
    expect(codesOf(program.document)).toEqual({ Metrics: "bad-file" });
    expect(JSON.stringify(program.document["outcomes"])).toContain('tile \\"CPU\\": ');
  });

  it("writes a tile without a name, and names a tile of which the target refuses a member", async () => {
    const markdown = { displayType: "markdown", markdown: "x" };
    await using program = await applied({ name: "Nameless", tiles: [{ ...place, config: markdown }] });
    expect(program.document).toMatchObject({ ok: true });
    const select = [{ aggFn: "count" }];
    const config = { displayType: "line", sourceId: idOf("b"), select, numberFormat: { output: "stars" } };
    await program.write("board.json", { name: "Refused", tiles: [{ ...place, name: "Stars", config }] });
    const plan = await program.apply("--dry-run --journals other");
    expect(codesOf(plan)).toMatchObject({ Refused: "would-be-refused" });
    expect(JSON.stringify(plan["outcomes"])).toContain('tile \\"Stars\\": config.numberFormat');
  });
});
