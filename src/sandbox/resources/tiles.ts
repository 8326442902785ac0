import { z } from "zod";
import { AGGREGATES, COLORS, METRIC_TYPES, NUMBER_OUTPUTS, NUMERIC_UNITS } from "./tile-words.ts";
import type { JsonObject } from "../store/store.ts";
import { isObject } from "../store/store.ts";

const flag = z.boolean().optional();
const text = z.string().optional();

/** The language of the query of a dashboard, of a search tile or of a series. */
export const language = z.enum(["sql", "lucene", "promql"]);

/** The language of every condition that `language` does not cover. */
export const conditionLanguage = z.enum(["sql", "lucene"]);

const expression = z.string().max(10_000);

// The members are in the order of responses (docs/api.md#dashboard-members).
export const numberFormat = z
  .object({
    output: z.enum(NUMBER_OUTPUTS).optional(),
    numericUnit: z.enum(NUMERIC_UNITS).optional(),
    mantissa: z.number().int().optional(),
    thousandSeparated: flag,
    average: flag,
    decimalBytes: flag,
    factor: z.number().optional(),
    currencySymbol: text,
    unit: text,
  })
  .optional();

const color = z.enum(COLORS);

const colorMembers = { color, label: z.string().max(40).optional() };
export const colorRule = z.discriminatedUnion("operator", [
  z.object({ operator: z.enum(["gt", "gte", "lt", "lte"]), value: z.number(), ...colorMembers }),
  z.object({ operator: z.literal("between"), value: z.array(z.number()).length(2), ...colorMembers }),
  z.object({ operator: z.enum(["eq", "neq"]), value: z.union([z.number(), z.string().max(200)]), ...colorMembers }),
]);

const backgroundChart = z.object({ type: z.enum(["line", "area"]), color: color.optional() });

const formula = z.object({
  expression: z.string().max(1024),
  alias: text,
  numberFormat,
});

const required = (message: string) => z.string().refine((text) => text !== "", message);
const target = z.discriminatedUnion("mode", [
  z.object({ mode: z.literal("id"), id: z.string() }),
  z.object({ mode: z.literal("template"), template: required("Template is required") }),
]);
const filterTemplate = z.object({
  kind: z.literal("expressionTemplate"),
  expression: required("Expression is required"),
  template: required("Template is required"),
});
const linkMembers = {
  target,
  whereTemplate: text,
  whereLanguage: conditionLanguage.optional(),
  filters: z.array(filterTemplate).optional(),
};
const onClick = z.discriminatedUnion("type", [
  z.object({ type: z.literal("search"), ...linkMembers }),
  z.object({ type: z.literal("dashboard"), ...linkMembers }),
  z.object({ type: z.literal("external"), urlTemplate: z.string().min(1) }),
]);

const LEVELS = [0.5, 0.9, 0.95, 0.99].map((level) => z.literal(level));

export const aggregate = z.enum(AGGREGATES);

/** One series of a tile. */
export const selectItem = z
  .object({
    alias: expression.optional(),
    valueExpression: expression.optional(),
    aggFn: aggregate,
    level: z.union(LEVELS).optional(),
    where: expression.default(""),
    whereLanguage: language.optional(),
    metricType: z.enum(METRIC_TYPES).optional(),
    metricName: text,
    periodAggFn: z.literal("delta").optional(),
    numberFormat,
  })
  .superRefine((item, context) => {
    const fault = (message: string): void => context.addIssue({ code: "custom", path: [], message });
    const isCount = item.aggFn === "count";
    if (item.level !== undefined && item.aggFn !== "quantile") {
      fault("Level can only be used with quantile aggregation function");
    }
    if (isCount && item.valueExpression) fault("Value expression cannot be used with count aggregation function");
    if (!isCount && !item.valueExpression) fault("Value expression is required for non-count aggregation functions");
  });

const heatmapItem = z.object({
  valueExpression: z.string().min(1).max(10_000),
  countExpression: expression.optional(),
  heatmapScaleType: z.enum(["log", "linear"]).optional(),
});

const clause = expression.optional();
const wholeNumber = z.number().int().min(0).optional();

/**
 * The `configType` of tiles without raw SQL. It is accepted but not stored: only raw SQL tiles have a stored `configType`. The
 * managed description leaves the member out.
 */
export const builderMembers = {
  configType: z
    .literal("builder")
    .optional()
    .transform(() => undefined),
};
const series = { sourceId: z.string(), select: z.array(selectItem).min(1).max(20) };
const singleSeries = { sourceId: z.string(), select: z.array(selectItem).length(1), groupBy: clause };
const formulas = { formulas: z.array(formula).max(10).optional(), showOperandSeries: flag };
const where = expression.default("");
const conditioned = { where, whereLanguage: conditionLanguage.optional() };
const overTime = { asRatio: flag, alignDateRangeToGranularity: flag, fillNulls: flag };

/** The configuration of a tile without raw SQL: one schema per display type, in the order in which the server lists them. */
export const BUILT = {
  line: z.object({
    ...builderMembers,
    ...series,
    groupBy: clause,
    ...overTime,
    fitYAxisToData: flag,
    numberFormat,
    displayType: z.literal("line"),
    compareToPreviousPeriod: flag,
    seriesLimit: wholeNumber,
    ...formulas,
  }),
  stacked_bar: z.object({
    ...builderMembers,
    ...series,
    groupBy: clause,
    ...overTime,
    numberFormat,
    displayType: z.literal("stacked_bar"),
    seriesLimit: wholeNumber,
    ...formulas,
  }),
  table: z.object({
    ...builderMembers,
    displayType: z.literal("table"),
    ...series,
    groupBy: clause,
    having: clause,
    orderBy: clause,
    asRatio: flag,
    numberFormat,
    groupByColumnsOnLeft: flag,
    onClick: onClick.optional(),
    ...formulas,
  }),
  number: z.object({
    ...builderMembers,
    displayType: z.literal("number"),
    ...series,
    numberFormat,
    color: color.optional(),
    colorRules: z.array(colorRule).max(10).optional(),
    backgroundChart: backgroundChart.optional(),
    formulas: z.array(formula).optional(),
  }),
  pie: z.object({
    ...builderMembers,
    displayType: z.literal("pie"),
    ...singleSeries,
    orderBy: clause,
    numberFormat,
    limit: wholeNumber,
  }),
  bar: z.object({
    ...builderMembers,
    displayType: z.literal("bar"),
    ...singleSeries,
    orderBy: clause,
    numberFormat,
    limit: wholeNumber,
  }),
  heatmap: z.object({
    ...builderMembers,
    displayType: z.literal("heatmap"),
    sourceId: z.string(),
    select: z.array(heatmapItem).length(1),
    ...conditioned,
    numberFormat,
  }),
  markdown: z.object({
    ...builderMembers,
    displayType: z.literal("markdown"),
    markdown: z.string().max(50_000).optional(),
  }),
  search: z.object({
    ...builderMembers,
    displayType: z.literal("search"),
    sourceId: z.string(),
    select: expression,
    where,
    whereLanguage: language.optional(),
  }),
  event_patterns: z.object({
    ...builderMembers,
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
const rawOverTime = { fillNulls: flag, alignDateRangeToGranularity: flag, seriesLimit: wholeNumber };

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
  table: z.object({ ...sql, displayType: z.literal("table"), onClick: onClick.optional() }),
  number: z.object({ ...sql, displayType: z.literal("number"), color: color.optional() }),
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

/** The configuration of a tile as a client sends it: with raw SQL (`configType: "sql"`) or without. */
export const tileConfigSchema = z.discriminatedUnion("configType", [rawSql, builder]).superRefine((config, context) => {
  checkLink(config, context);
  checkSeries(config, context);
});

type TileConfig = z.output<typeof rawSql> | z.output<typeof builder>;

function checkLink(config: TileConfig, context: z.RefinementCtx): void {
  if (config.displayType !== "table" || config.onClick === undefined || !("target" in config.onClick)) return;
  const { target } = config.onClick;
  if (target.mode !== "id" || /^[0-9a-f]{24}$/i.test(target.id)) return;
  context.addIssue({ code: "custom", path: ["onClick", "target", "id"], message: "Invalid ObjectId" });
}

/** Returns the server's message for a faulty formula over `seriesCount` series; undefined for a valid formula. */
function formulaFault(expression: string, seriesCount: number): string | undefined {
  const tokens = expression.match(/\d+(?:\.\d+)?|[A-Za-z]+|\S/g) ?? [];
  let position = 0;
  const peek = (): string | undefined => tokens[position];
  const operand = (): string | undefined => {
    const token = tokens[position++];
    if (token === undefined) return "Unexpected end of expression";
    if (token === "-" || token === "+") return operand();
    if (token === "(") return sum() ?? (tokens[position++] === ")" ? undefined : "Expected closing parenthesis");
    if (/^\d/.test(token)) return undefined;
    if (!/^[A-Za-z]+$/.test(token)) return `Unexpected token "${token}"`;
    return seriesFault(token, seriesCount);
  };
  const sum = (): string | undefined => {
    let fault = operand();
    while (fault === undefined && /^[-+*/%]$/.test(peek() ?? "")) {
      position += 1;
      fault = operand();
    }
    return fault;
  };
  return sum() ?? (position < tokens.length ? `Unexpected token "${String(peek())}"` : undefined);
}

function seriesFault(name: string, seriesCount: number): string | undefined {
  const index = name.length === 1 ? name.charCodeAt(0) - "A".charCodeAt(0) : -1;
  if (index >= 0 && index < seriesCount) return undefined;
  const lastLetter = String.fromCharCode("A".charCodeAt(0) + seriesCount - 1);
  return `Unknown series "${name}" — this chart only has series A through ${lastLetter}`;
}

const TOO_MANY =
  "Number tiles support a single select item unless formulas are used (extra items are formula operands)";
const NO_RATIO = 'formulas cannot be combined with asRatio; express the ratio as a formula instead (e.g. "A / B")';

/** Checks the series of a tile against the tile's formulas and ratio (docs/api.md#dashboard-members). */
export function checkSeries(config: JsonObject, context: z.RefinementCtx): void {
  const { configType, displayType, select, formulas, asRatio } = config;
  if (configType === "sql" || !Array.isArray(select)) return;
  const fault = (path: (string | number)[], message: string): void =>
    context.addIssue({ code: "custom", path, message });
  const formulaObjects = Array.isArray(formulas) ? formulas.filter(isObject) : [];
  if (asRatio === true && formulaObjects.length > 0) fault(["formulas"], NO_RATIO);
  else if (asRatio === true && select.length !== 2) {
    fault([], "asRatio can only be used with exactly two select items");
  }
  if (displayType === "number") {
    if (formulaObjects.length > 1) fault(["formulas"], "Number charts support a single formula");
    if (formulaObjects.length === 0 && select.length > 1) fault(["select"], TOO_MANY);
  }
  for (const [index, { expression }] of formulaObjects.entries()) {
    const faultMessage = formulaFault(String(expression), select.length);
    if (faultMessage !== undefined) fault(["formulas", index, "expression"], faultMessage);
  }
}
