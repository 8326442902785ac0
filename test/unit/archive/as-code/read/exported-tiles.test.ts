import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../../src/core/json.ts";
import { exportedBoard, readTexts } from "../../../../support/code-folder.ts";

/** Members in which the web interface stores the look of a tile, whatever the tile's type. */
const LOOKS = {
  seriesLimit: 5,
  numberFormat: { output: "percent" },
  alignDateRangeToGranularity: false,
  fitYAxisToData: true,
  compareToPreviousPeriod: true,
  orderBy: "n DESC",
  groupByColumnsOnLeft: true,
  onClick: { type: "url", urlTemplate: "https://x.test/{{a}}" },
  color: "red",
  colorRules: [{ value: 1 }],
  backgroundChart: "line",
  limit: 10,
  markdown: "# Text",
};

/** Members that decide which rows a tile shows. */
const DECIDES = { groupBy: "Service", having: "n > 1", where: "a:1", filters: [{ a: 1 }], with: [{ b: 1 }] };

const read = (text: string) => readTexts({ "board.json": text });

/**
 * Reads an export with one tile, and returns the tile's configuration, the members that were left out, and the members that were
 * refused.
 */
async function converted(config: JsonObject) {
  const text = exportedBoard([{ id: "t", x: 1, y: 2, w: 3, h: 4, config: { name: "Tile", ...config } }]);
  const { files, problems, notes } = await read(text);
  const body = files[0]?.code as { tiles?: { config: JsonObject }[] } | undefined;
  const leftOut = notes.map((note) => /"(\w+)" is left out/.exec(note)?.[1] ?? "").toSorted();
  /** The members in the lines that the problems name. */
  const refused = problems.map((problem) => {
    const [, line] = /^in\/board\.json:(\d+):\d+: /.exec(problem) ?? [];
    return /"(\w+)"/.exec(text.split("\n")[Number(line) - 1] ?? "")?.[1] ?? "";
  });
  return { config: body?.tiles?.[0]?.config, leftOut, refused: refused.toSorted(), problems };
}

const SERIES = [{ aggFn: "count" }];
const OVER_TIME = ["seriesLimit", "numberFormat", "alignDateRangeToGranularity"];

/** By display type, the members of LOOKS and of DECIDES that a tile keeps. */
const BUILT: Readonly<Record<string, { looks: readonly string[]; decides: readonly string[] }>> = {
  line: { looks: [...OVER_TIME, "fitYAxisToData", "compareToPreviousPeriod"], decides: ["groupBy"] },
  stacked_bar: { looks: OVER_TIME, decides: ["groupBy"] },
  table: { looks: ["orderBy", "numberFormat", "groupByColumnsOnLeft", "onClick"], decides: ["groupBy", "having"] },
  number: { looks: ["numberFormat", "color", "colorRules", "backgroundChart"], decides: [] },
  pie: { looks: ["orderBy", "numberFormat", "limit"], decides: ["groupBy"] },
  bar: { looks: ["orderBy", "numberFormat", "limit"], decides: ["groupBy"] },
  heatmap: { looks: ["numberFormat"], decides: ["where"] },
  search: { looks: [], decides: ["where"] },
  event_patterns: { looks: [], decides: ["where"] },
  markdown: { looks: ["markdown"], decides: [] },
};

/** By display type, the members of LOOKS that a raw SQL tile keeps. */
const SQL: Readonly<Record<string, readonly string[]>> = {
  line: ["numberFormat", "alignDateRangeToGranularity", "fitYAxisToData", "compareToPreviousPeriod"],
  stacked_bar: ["numberFormat", "alignDateRangeToGranularity"],
  table: ["numberFormat", "onClick"],
  number: ["numberFormat", "color"],
  pie: ["numberFormat"],
  bar: ["numberFormat"],
};

const pick = (from: JsonObject, members: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(from).filter(([member]) => members.includes(member)));

/** Omits the member whose value is the API's default, because no remark mentions such a member. */
const saying = (members: readonly string[]): string[] =>
  members.filter((member) => member !== "alignDateRangeToGranularity").toSorted();

const without = (from: JsonObject, members: readonly string[]): string[] =>
  Object.keys(from).filter((member) => !members.includes(member));

/** Returns the member `select` of a converted tile of this type. */
function selected(displayType: string): JsonObject {
  if (displayType === "markdown") return {};
  if (displayType === "heatmap") return { select: [{}] };
  return { select: displayType === "search" || displayType === "event_patterns" ? "" : SERIES };
}

describe("a tile that the web interface has exported", () => {
  it.each(Object.entries(BUILT))(
    "of type %s keeps every member that the API takes",
    async (displayType, { looks, decides }) => {
      const rows = pick(DECIDES, decides);
      const whereLanguage = decides.includes("where") ? { whereLanguage: "sql" } : {};
      const given = { displayType, source: "Logs", select: SERIES, ...LOOKS, ...rows, ...whereLanguage };
      const { config, leftOut, problems } = await converted(given);
      expect(problems).toEqual([]);
      const source = displayType === "markdown" ? {} : { source: "Logs" };
      const rest = { ...pick(LOOKS, looks), ...rows, ...whereLanguage };
      expect(config).toEqual({ displayType, ...source, ...selected(displayType), ...rest });
      expect(leftOut).toEqual(saying(without(LOOKS, looks)));
    },
  );

  it.each(Object.entries(BUILT))(
    "of type %s is refused for members whose loss would change the rows shown",
    async (displayType, { decides }) => {
      const given = { displayType, source: "Logs", select: SERIES, ...DECIDES };
      const { config, refused } = await converted(given);
      expect(config).toBeUndefined();
      expect(refused).toEqual(without(DECIDES, decides).toSorted());
    },
  );

  it.each(Object.entries(SQL))(
    "of type %s with SQL keeps every member that the API takes",
    async (displayType, looks) => {
      const query = { configType: "sql", connection: "Main", sqlTemplate: "SELECT 1" };
      const { config, leftOut, problems } = await converted({ displayType, ...query, select: SERIES, ...LOOKS });
      expect(problems).toEqual([]);
      expect(config).toEqual({ displayType, ...query, ...pick(LOOKS, looks) });
      expect(leftOut).toEqual(saying(without(LOOKS, looks)));
      const sourced = await converted({ displayType, ...query, source: "Logs" });
      expect(sourced.config).toEqual({ displayType, ...query, source: "Logs" });
      const rows = await converted({ displayType, ...query, ...DECIDES });
      expect(rows.refused).toEqual(Object.keys(DECIDES).toSorted());
    },
  );

  it.each([
    ["an unknown type", { displayType: "gauge", source: "Logs" }, "displayType"],
    ["a type that is a word of JavaScript", { displayType: "constructor", source: "Logs" }, "displayType"],
    ["a heatmap of SQL", { displayType: "heatmap", configType: "sql", connection: "Main" }, "displayType"],
    ["an empty source", { displayType: "line", source: "", select: SERIES }, "source"],
    [
      "an empty connection",
      { displayType: "line", configType: "sql", connection: "", sqlTemplate: "SELECT 1" },
      "connection",
    ],
    ["a selection that is a text", { displayType: "line", source: "Logs", select: "n" }, "select"],
    ["an empty selection", { displayType: "line", source: "Logs", select: [] }, "select"],
    [
      "a selection with a text in it",
      { displayType: "line", source: "Logs", select: [{ aggFn: "count" }, "n"] },
      "select",
    ],
    [
      "a condition of groups that is an object",
      { displayType: "table", source: "Logs", select: SERIES, having: [{ a: 1 }] },
      "having",
    ],
    [
      "a group that is an object",
      { displayType: "table", source: "Logs", select: SERIES, groupBy: [{ a: 1 }] },
      "groupBy",
    ],
    ["a condition that is an object", { displayType: "search", source: "Logs", where: { a: 1 } }, "where"],
  ])("with %s is refused with its position in the file", async (_, config, member) => {
    expect((await converted(config as JsonObject)).refused).toEqual([member]);
  });

  it("is refused without a chart type, a source or a config", async () => {
    expect((await converted({ source: "Logs" })).problems).toHaveLength(1);
    expect((await converted({ displayType: "line", select: SERIES })).problems).toHaveLength(1);
    expect((await converted({ displayType: "line", source: null, select: SERIES })).problems).toHaveLength(1);
    expect((await read(exportedBoard([{ x: 1 }]))).problems).toHaveLength(1);
  });

  it("has its gaps and ratios said where the API knows of them", async () => {
    const shown = async (displayType: string, more: JsonObject) => {
      const { config, problems } = await converted({ displayType, source: "Logs", select: SERIES, ...more });
      expect(problems).toEqual([]);
      const { displayType: _type, source: _source, select: _select, ...rest } = config ?? {};
      return rest;
    };
    const both = { fillNulls: false, seriesReturnType: "ratio" };
    expect(await shown("line", both)).toEqual({ fillNulls: false, asRatio: true });
    expect(await shown("stacked_bar", both)).toEqual({ fillNulls: false, asRatio: true });
    expect(await shown("table", both)).toEqual({ asRatio: true });
    expect(await shown("pie", both)).toEqual({});
    expect(await shown("line", { fillNulls: true, seriesReturnType: "column" })).toEqual({});
    const sql = { configType: "sql", connection: "Main", sqlTemplate: "SELECT 1" };
    const { config } = await converted({ displayType: "line", ...sql, ...both });
    expect(config).toEqual({ displayType: "line", ...sql, fillNulls: false });
  });

  it("has its series in the words of the API", async () => {
    const series = {
      aggFn: "quantile",
      alias: "p95",
      valueExpression: "Duration",
      level: 0.95,
      metricType: "sum",
      metricName: "m",
      numberFormat: { output: "time" },
    };
    const conditions = { aggCondition: "a:1", aggConditionLanguage: "sql", isDelta: true };
    const select = [
      { ...series, ...conditions, color: "red" },
      { valueExpression: "x", aggCondition: "", aggConditionLanguage: "", isDelta: false },
    ];
    const { config, leftOut } = await converted({ displayType: "line", source: "Logs", select });
    expect(config?.["select"]).toEqual([
      { ...series, where: "a:1", whereLanguage: "sql", periodAggFn: "delta" },
      { aggFn: "none", valueExpression: "x" },
    ]);
    expect(leftOut).toEqual(["color"]);
    const heat = { valueExpression: "Duration", countExpression: "count()", heatmapScaleType: "log", aggFn: "heatmap" };
    const { aggFn: _aggFn, ...kept } = heat;
    const map = await converted({ displayType: "heatmap", source: "Logs", select: [heat] });
    expect(map.config?.["select"]).toEqual([kept]);
    const search = await converted({ displayType: "search", source: "Logs", select: "Timestamp, Body" });
    expect(search.config?.["select"]).toBe("Timestamp, Body");
  });

  it("has members left out that the API cannot take in that form, and says so", async () => {
    const table = { displayType: "table", source: "Logs", select: SERIES };
    const gone = [
      { type: "dashboard", target: { mode: "id", id: "" } },
      { type: "url", urlTemplate: "" },
    ];
    for (const onClick of [...gone, "x"]) {
      const { config, leftOut } = await converted({ ...table, onClick });
      expect([config, leftOut]).toEqual([table, ["onClick"]]);
    }
    for (const target of [
      { mode: "id", id: "Board" },
      { mode: "template", template: "{{a}}" },
    ]) {
      const onClick = { type: "dashboard", target };
      expect((await converted({ ...table, onClick })).config).toEqual({ ...table, onClick });
    }
    const pie = { displayType: "pie", source: "Logs", select: SERIES };
    expect(await converted({ ...pie, limit: { limit: 3 } })).toMatchObject({ config: pie, leftOut: ["limit"] });
    expect(await converted({ ...pie, orderBy: [{ a: 1 }] })).toMatchObject({ config: pie, leftOut: ["orderBy"] });
  });

  it("says nothing by what is empty, or as the API does it anyway", async () => {
    const line = { displayType: "line", source: "Logs", select: SERIES };
    const empty = { description: "", with: [], filters: [], having: null, where: "", hidden: false, color: {} };
    const implied = { granularity: "auto", alignDateRangeToGranularity: true, groupBy: "", numberFormat: {} };
    expect(await converted({ ...line, ...empty, ...implied })).toMatchObject({ config: line, leftOut: [] });
    expect((await converted({ ...line, granularity: "5 minute" })).leftOut).toEqual(["granularity"]);
    const { config } = await converted({ displayType: "markdown", markdown: "" });
    expect(config).toEqual({ displayType: "markdown", markdown: "" });
  });
});
