import { z } from "zod";
import type { SandboxVariant } from "../variant.ts";
import { managedSeriesSchema } from "./managed-series.ts";
import { managedTileConfigSchema } from "./managed-tile.ts";

const language = z.enum(["sql", "lucene"]);
const where = z.string().default("");
const numberFormat = z.looseObject({}).optional();
const text = z.string().optional();
const flag = z.boolean().optional();

const seriesItem = z.object({
  alias: text,
  valueExpression: text,
  aggFn: z.string(),
  level: z.number().optional(),
  where,
  whereLanguage: language.optional(),
  metricType: text,
  metricName: text,
  periodAggFn: text,
});

const heatmapItem = z.object({
  valueExpression: z.string(),
  countExpression: text,
  heatmapScaleType: text,
});

const target = z.discriminatedUnion("mode", [
  z.object({ mode: z.literal("id"), id: z.string() }),
  z.object({ mode: z.literal("template"), template: z.string() }),
]);

const filled = z.object({ kind: z.literal("expressionTemplate"), expression: z.string(), template: z.string() });
const linked = { target, whereTemplate: text, whereLanguage: language.optional(), filters: z.array(filled).optional() };

const onClick = z.discriminatedUnion("type", [
  z.object({ type: z.literal("search"), ...linked }),
  z.object({ type: z.literal("dashboard"), ...linked }),
  z.object({ type: z.literal("external"), urlTemplate: z.string() }),
]);

const built = { configType: z.literal("builder").optional() };
const series = { sourceId: z.string(), select: z.array(seriesItem).min(1), groupBy: text };
const overTime = { asRatio: flag, fillNulls: flag, numberFormat };
const events = { sourceId: z.string(), select: z.string(), where, whereLanguage: language.optional() };
const colorRules = z.array(z.looseObject({})).optional();

// In the order in which the servers name the display types (recording 57).
const builder = z.discriminatedUnion("displayType", [
  z.object({
    ...built,
    ...series,
    ...overTime,
    displayType: z.literal("line"),
    compareToPreviousPeriod: flag,
    seriesLimit: z.number().optional(),
  }),
  z.object({
    ...built,
    ...series,
    ...overTime,
    displayType: z.literal("stacked_bar"),
    seriesLimit: z.number().optional(),
  }),
  z.object({
    ...built,
    displayType: z.literal("table"),
    ...series,
    having: text,
    orderBy: text,
    asRatio: flag,
    numberFormat,
    onClick: onClick.optional(),
  }),
  z.object({ ...built, displayType: z.literal("number"), ...series, numberFormat, color: text, colorRules }),
  z.object({ ...built, displayType: z.literal("pie"), ...series, numberFormat, limit: z.number().optional() }),
  z.object({ ...built, displayType: z.literal("bar"), ...series, numberFormat, limit: z.number().optional() }),
  z.object({
    ...built,
    displayType: z.literal("heatmap"),
    sourceId: z.string(),
    select: z.array(heatmapItem).min(1),
    where,
    whereLanguage: language.optional(),
    numberFormat,
  }),
  z.object({ ...built, displayType: z.literal("markdown"), markdown: z.string().max(50_000) }),
  z.object({ ...built, displayType: z.literal("search"), ...events }),
  z.object({ ...built, displayType: z.literal("event_patterns"), ...events }),
]);

const sql = {
  configType: z.literal("sql"),
  connectionId: z.string(),
  sqlTemplate: z.string(),
  sourceId: text,
  numberFormat,
};

const rawSql = z.discriminatedUnion("displayType", [
  z.object({ ...sql, displayType: z.literal("line"), fillNulls: flag }),
  z.object({ ...sql, displayType: z.literal("stacked_bar"), fillNulls: flag }),
  z.object({ ...sql, displayType: z.literal("table"), onClick: onClick.optional() }),
  z.object({ ...sql, displayType: z.literal("number") }),
  z.object({ ...sql, displayType: z.literal("pie") }),
  z.object({ ...sql, displayType: z.literal("bar") }),
]);

/** What a tile shows: one shape per display type, or a query of its own (`configType: "sql"`). */
const tileConfigSchema = z.discriminatedUnion("configType", [rawSql, builder]);

const legacySeries = z.object({
  type: z.enum(["time", "table", "number"]),
  sourceId: z.string(),
  displayType: z.enum(["line", "stacked_bar"]).optional(),
  aggFn: z.string(),
  field: z.string().optional(),
  level: z.number().optional(),
  where: z.string().default(""),
  whereLanguage: z.enum(["sql", "lucene"]).optional(),
  groupBy: z.array(z.string()).optional(),
});

const SCHEMAS = {
  "self-hosted": tileSchemaOf(tileConfigSchema, legacySeries),
  managed: tileSchemaOf(managedTileConfigSchema, managedSeriesSchema),
};

/** A tile as it is sent; the bounds are those of recordings 57 and 203. */
export function tileSchema(variant: SandboxVariant): z.ZodType<Tile> {
  return SCHEMAS[variant];
}

export type TileConfig = z.output<typeof tileConfigSchema> | z.output<typeof managedTileConfigSchema>;
export type LegacySeries = z.output<typeof legacySeries> | z.output<typeof managedSeriesSchema>;

export interface Tile {
  readonly name: string;
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
  readonly config?: TileConfig | undefined;
  readonly series?: readonly LegacySeries[] | undefined;
  readonly asRatio?: boolean | undefined;
  readonly containerId?: string | undefined;
  readonly tabId?: string | undefined;
  readonly id?: string | undefined;
}

function tileSchemaOf<Config, Series>(config: z.ZodType<Config>, series: z.ZodType<Series>) {
  return z
    .object({
      name: z.string(),
      x: z.number().min(0).max(23),
      y: z.number().min(0),
      w: z.number().min(1).max(24),
      h: z.number().min(1),
      config: config.optional(),
      series: z.array(series).min(1).optional(),
      asRatio: z.boolean().optional(),
      containerId: z.string().optional(),
      tabId: z.string().optional(),
      id: z.string().optional(),
    })
    .refine((tile) => (tile.config === undefined) !== (tile.series === undefined), {
      message: "Provide either config or series",
    });
}
