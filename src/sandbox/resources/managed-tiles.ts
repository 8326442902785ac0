import { z } from "zod";
import type { JsonObject } from "../store/store.ts";
import type { SandboxRelease } from "../options.ts";
import { builderMembers, checkSeries, numberFormat } from "./tiles.ts";
import * as words from "./tile-words.ts";

const language = z.enum(["sql", "lucene"]).optional();
const text = z.string().optional();
const flag = z.boolean().optional();
const color = z.enum(words.COLORS);
const metricType = z.enum(words.METRIC_TYPES).optional();

// The level is a number in requests and responses, although the description lists words.
const level = z.union([z.number(), z.enum(words.LEVELS).transform(Number)]).optional();

const item = z.object({
  aggFn: z.enum(words.AGGREGATES),
  valueExpression: text,
  alias: text,
  level,
  where: z.string().default(""),
  whereLanguage: language,
  metricName: text,
  metricType,
  periodAggFn: z.literal("delta").optional(),
  numberFormat,
});

// A request for `count` must not have an expression, because rows are counted. Responses nevertheless contain an empty expression.
const selectItem = item.refine(({ aggFn, valueExpression }) => aggFn !== "count" || valueExpression === undefined, {
  path: ["valueExpression"],
  message: "valueExpression must be absent when aggFn is count",
});

const heatmapItem = z.object({
  valueExpression: z.string(),
  countExpression: text,
  heatmapScaleType: z.enum(["log", "linear"]).optional(),
});

const target = z.discriminatedUnion("mode", [
  z.object({ mode: z.literal("id"), id: z.string() }),
  z.object({ mode: z.literal("template"), template: z.string() }),
]);
const filterTemplate = z.object({
  kind: z.literal("expressionTemplate"),
  expression: z.string(),
  template: z.string(),
});
const linkMembers = {
  target,
  whereTemplate: text,
  whereLanguage: language,
  filters: z.array(filterTemplate).optional(),
};
const onClick = z
  .discriminatedUnion("type", [
    z.object({ type: z.literal("search"), ...linkMembers }),
    z.object({ type: z.literal("dashboard"), ...linkMembers }),
    z.object({ type: z.literal("external"), urlTemplate: z.string() }),
  ])
  .optional();

const colorRule = z.discriminatedUnion("operator", [
  z.object({ operator: z.enum(["gt", "gte", "lt", "lte"]), value: z.number(), color, label: text }),
  z.object({ operator: z.literal("between"), value: z.array(z.number()), color, label: text }),
  z.object({ operator: z.enum(["eq", "neq"]), value: z.union([z.number(), z.string()]), color, label: text }),
]);
const colorRules = z.array(colorRule).optional();
const backgroundChart = z.object({ type: z.enum(["line", "area"]), color: color.optional() }).optional();

const series = { sourceId: z.string(), select: z.array(selectItem).min(1) };
const groupedSeries = { ...series, groupBy: text };
const overTime = {
  asRatio: flag,
  alignDateRangeToGranularity: flag,
  fillNulls: flag,
  numberFormat,
};
const slices = { ...groupedSeries, orderBy: text, numberFormat, limit: z.number().int().optional() };
const where = z.string().default("");

// These members exist only in the next release of the server (docs/api.md#managed).
const formula = z.object({ expression: z.string().max(1024), alias: text, numberFormat });
const formulas = { formulas: z.array(formula).max(10).optional() };
const formulaMembers = { ...formulas, showOperandSeries: flag };
const calculatedOverTime = { ...formulaMembers, seriesLimit: z.number().int().min(0).optional() };

function builderOf(isNext: boolean) {
  const next = (members: z.core.$ZodLooseShape) => (isNext ? members : {});
  return z.discriminatedUnion("displayType", [
    z.object({
      ...builderMembers,
      displayType: z.literal("line"),
      ...groupedSeries,
      ...overTime,
      fitYAxisToData: flag,
      compareToPreviousPeriod: flag,
      ...next(calculatedOverTime),
    }),
    z.object({
      ...builderMembers,
      displayType: z.literal("stacked_bar"),
      ...groupedSeries,
      ...overTime,
      ...next(calculatedOverTime),
    }),
    z.object({
      ...builderMembers,
      displayType: z.literal("table"),
      ...groupedSeries,
      having: text,
      orderBy: text,
      asRatio: flag,
      numberFormat,
      groupByColumnsOnLeft: flag,
      onClick,
      ...next(formulaMembers),
    }),
    z.object({
      ...builderMembers,
      displayType: z.literal("number"),
      ...series,
      numberFormat,
      color: color.optional(),
      colorRules,
      backgroundChart,
      ...next(formulas),
    }),
    z.object({ ...builderMembers, displayType: z.literal("pie"), ...slices }),
    z.object({ ...builderMembers, displayType: z.literal("bar"), ...slices }),
    z.object({
      ...builderMembers,
      displayType: z.literal("heatmap"),
      sourceId: z.string(),
      select: z.array(heatmapItem).min(1),
      where,
      whereLanguage: language,
      numberFormat,
    }),
    z.object({
      ...builderMembers,
      displayType: z.literal("search"),
      sourceId: z.string(),
      select: z.string(),
      where,
      whereLanguage: z.enum(["sql", "lucene"]),
    }),
    z.object({
      ...builderMembers,
      displayType: z.literal("event_patterns"),
      sourceId: z.string(),
      select: text,
      where,
      whereLanguage: language,
    }),
    z.object({ ...builderMembers, displayType: z.literal("markdown"), markdown: z.string().max(50_000).optional() }),
  ]);
}

const sql = {
  configType: z.literal("sql"),
  connectionId: z.string(),
  sqlTemplate: z.string(),
  sourceId: text,
  numberFormat,
};
const rawOverTime = { fillNulls: flag, alignDateRangeToGranularity: flag };

const rawSql = z.discriminatedUnion("displayType", [
  z.object({
    ...sql,
    displayType: z.literal("line"),
    compareToPreviousPeriod: flag,
    ...rawOverTime,
    fitYAxisToData: flag,
  }),
  z.object({ ...sql, displayType: z.literal("stacked_bar"), ...rawOverTime }),
  z.object({ ...sql, displayType: z.literal("table"), onClick }),
  z.object({ ...sql, displayType: z.literal("number"), color: color.optional() }),
  z.object({ ...sql, displayType: z.literal("pie") }),
  z.object({ ...sql, displayType: z.literal("bar") }),
]);

const publishedConfig = z.discriminatedUnion("configType", [rawSql, builderOf(false)]);
const next = z.discriminatedUnion("configType", [rawSql, builderOf(true)]).superRefine(checkSeries);

/** The configuration of a tile, as the description of the managed service has it. */
export const MANAGED_TILE_CONFIG: Readonly<Record<SandboxRelease, z.ZodType<JsonObject>>> = {
  published: publishedConfig,
  next,
};
