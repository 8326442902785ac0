import { z } from "zod";
import { AGGREGATES, COLORS, METRIC_TYPES, NUMBER_OUTPUTS, NUMERIC_UNITS } from "./words.ts";

const flag = z.boolean().optional();
const text = z.string().optional();

/** The language of the query of a dashboard, of a search tile or of a series. */
export const language = z.enum(["sql", "lucene", "promql"]);

/** The language of every other condition. */
export const conditionLanguage = z.enum(["sql", "lucene"]);

export const expression = z.string().max(10_000);

// In the order of responses (docs/api.md#dashboard-members).
export const numberFormat = z.object({
  output: z.enum(NUMBER_OUTPUTS).optional(),
  numericUnit: z.enum(NUMERIC_UNITS).optional(),
  mantissa: z.number().int().optional(),
  thousandSeparated: flag,
  average: flag,
  decimalBytes: flag,
  factor: z.number().optional(),
  currencySymbol: text,
  unit: text,
});

export const color = z.enum(COLORS);

const painted = { color, label: z.string().max(40).optional() };
export const colorRule = z.discriminatedUnion("operator", [
  z.object({ operator: z.enum(["gt", "gte", "lt", "lte"]), value: z.number(), ...painted }),
  z.object({ operator: z.literal("between"), value: z.array(z.number()).length(2), ...painted }),
  z.object({ operator: z.enum(["eq", "neq"]), value: z.union([z.number(), z.string().max(200)]), ...painted }),
]);

export const backgroundChart = z.object({ type: z.enum(["line", "area"]), color: color.optional() });

export const formula = z.object({
  expression: z.string().max(1024),
  alias: text,
  numberFormat: numberFormat.optional(),
});

const required = (message: string) => z.string().refine((written) => written !== "", message);
const target = z.discriminatedUnion("mode", [
  z.object({ mode: z.literal("id"), id: z.string() }),
  z.object({ mode: z.literal("template"), template: required("Template is required") }),
]);
const filled = z.object({
  kind: z.literal("expressionTemplate"),
  expression: required("Expression is required"),
  template: required("Template is required"),
});
const linked = {
  target,
  whereTemplate: text,
  whereLanguage: conditionLanguage.optional(),
  filters: z.array(filled).optional(),
};
export const onClick = z.discriminatedUnion("type", [
  z.object({ type: z.literal("search"), ...linked }),
  z.object({ type: z.literal("dashboard"), ...linked }),
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
    numberFormat: numberFormat.optional(),
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

export const heatmapItem = z.object({
  valueExpression: z.string().min(1).max(10_000),
  countExpression: expression.optional(),
  heatmapScaleType: z.enum(["log", "linear"]).optional(),
});
