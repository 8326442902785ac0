import { z } from "zod";
import { checkSeries } from "./formula.ts";
import * as parts from "./tile-parts.ts";

const flag = z.boolean().optional();
const { expression } = parts;
const text = expression.optional();
const whole = z.number().int().min(0).optional();
const numberFormat = parts.numberFormat.optional();

// Accepted but not stored: only raw SQL tiles have a `configType`.
const built = {
  configType: z
    .literal("builder")
    .optional()
    .transform(() => undefined),
};
const series = { sourceId: z.string(), select: z.array(parts.selectItem).min(1).max(20) };
const single = { sourceId: z.string(), select: z.array(parts.selectItem).length(1), groupBy: text };
const formulas = { formulas: z.array(parts.formula).max(10).optional(), showOperandSeries: flag };
const where = expression.default("");
const conditioned = { where, whereLanguage: parts.conditionLanguage.optional() };
const overTime = { asRatio: flag, alignDateRangeToGranularity: flag, fillNulls: flag };

/** The configuration of a tile without raw SQL: one schema per display type, in the order in which the server lists them. */
export const BUILT = {
  line: z.object({
    ...built,
    ...series,
    groupBy: text,
    ...overTime,
    fitYAxisToData: flag,
    numberFormat,
    displayType: z.literal("line"),
    compareToPreviousPeriod: flag,
    seriesLimit: whole,
    ...formulas,
  }),
  stacked_bar: z.object({
    ...built,
    ...series,
    groupBy: text,
    ...overTime,
    numberFormat,
    displayType: z.literal("stacked_bar"),
    seriesLimit: whole,
    ...formulas,
  }),
  table: z.object({
    ...built,
    displayType: z.literal("table"),
    ...series,
    groupBy: text,
    having: text,
    orderBy: text,
    asRatio: flag,
    numberFormat,
    groupByColumnsOnLeft: flag,
    onClick: parts.onClick.optional(),
    ...formulas,
  }),
  number: z.object({
    ...built,
    displayType: z.literal("number"),
    ...series,
    numberFormat,
    color: parts.color.optional(),
    colorRules: z.array(parts.colorRule).max(10).optional(),
    backgroundChart: parts.backgroundChart.optional(),
    formulas: z.array(parts.formula).optional(),
  }),
  pie: z.object({
    ...built,
    displayType: z.literal("pie"),
    ...single,
    orderBy: text,
    numberFormat,
    limit: whole,
  }),
  bar: z.object({
    ...built,
    displayType: z.literal("bar"),
    ...single,
    orderBy: text,
    numberFormat,
    limit: whole,
  }),
  heatmap: z.object({
    ...built,
    displayType: z.literal("heatmap"),
    sourceId: z.string(),
    select: z.array(parts.heatmapItem).length(1),
    ...conditioned,
    numberFormat,
  }),
  markdown: z.object({
    ...built,
    displayType: z.literal("markdown"),
    markdown: z.string().max(50_000).optional(),
  }),
  search: z.object({
    ...built,
    displayType: z.literal("search"),
    sourceId: z.string(),
    select: expression,
    where,
    whereLanguage: parts.language.optional(),
  }),
  event_patterns: z.object({
    ...built,
    displayType: z.literal("event_patterns"),
    sourceId: z.string(),
    select: expression.optional(),
    ...conditioned,
  }),
} as const;

const sql = {
  configType: z.literal("sql"),
  connectionId: z.string(),
  sqlTemplate: z.string().max(100_000),
  sourceId: z.string().optional(),
  numberFormat,
};
const rawOverTime = { fillNulls: flag, alignDateRangeToGranularity: flag, seriesLimit: whole };

/** The configuration of a raw SQL tile: one schema per display type that supports it. */
export const RAW_SQL = {
  line: z.object({
    ...sql,
    displayType: z.literal("line"),
    ...rawOverTime,
    compareToPreviousPeriod: flag,
    fitYAxisToData: flag,
  }),
  stacked_bar: z.object({ ...sql, displayType: z.literal("stacked_bar"), ...rawOverTime }),
  table: z.object({ ...sql, displayType: z.literal("table"), onClick: parts.onClick.optional() }),
  number: z.object({ ...sql, displayType: z.literal("number"), color: parts.color.optional() }),
  pie: z.object({ ...sql, displayType: z.literal("pie") }),
  bar: z.object({ ...sql, displayType: z.literal("bar") }),
} as const;

const builder = z.discriminatedUnion("displayType", [
  BUILT.line,
  BUILT.stacked_bar,
  BUILT.table,
  BUILT.number,
  BUILT.pie,
  BUILT.bar,
  BUILT.heatmap,
  BUILT.markdown,
  BUILT.search,
  BUILT.event_patterns,
]);
const rawSql = z.discriminatedUnion("displayType", [
  RAW_SQL.line,
  RAW_SQL.stacked_bar,
  RAW_SQL.table,
  RAW_SQL.number,
  RAW_SQL.pie,
  RAW_SQL.bar,
]);

/** The configuration of a tile as sent: with or without raw SQL (`configType: "sql"`). */
export const tileConfigSchema = z.discriminatedUnion("configType", [rawSql, builder]).superRefine((config, context) => {
  checkLink(config, context);
  checkSeries(config, context);
});

export type TileConfig = z.output<typeof rawSql> | z.output<typeof builder>;

function checkLink(config: TileConfig, context: z.RefinementCtx): void {
  if (config.displayType !== "table" || config.onClick === undefined || !("target" in config.onClick)) return;
  const { target } = config.onClick;
  if (target.mode !== "id" || /^[0-9a-f]{24}$/i.test(target.id)) return;
  context.addIssue({ code: "custom", path: ["onClick", "target", "id"], message: "Invalid ObjectId" });
}
