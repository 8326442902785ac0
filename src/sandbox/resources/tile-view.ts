import type { z } from "zod";
import { definedMembers, isObject, type JsonObject } from "../store.ts";
import { BUILT_TILES, RAW_SQL_TILES, aggregateSchema, colorRuleSchema, selectItemSchema } from "./tiles.ts";

// In the order of responses; the answer of `validate` has another order.
const ITEM = "metricType metricName alias numberFormat valueExpression aggFn where whereLanguage periodAggFn level";
const OVER_TIME = "displayType sourceId asRatio alignDateRangeToGranularity fillNulls";
const SERIES = "seriesLimit formulas showOperandSeries";
const EVENTS = "displayType sourceId select where whereLanguage numberFormat";
const SLICES = "displayType sourceId select groupBy orderBy limit numberFormat";
const ORDER: Readonly<Record<keyof typeof BUILT_TILES, string>> = {
  line: `${OVER_TIME} fitYAxisToData groupBy select compareToPreviousPeriod numberFormat ${SERIES}`,
  stacked_bar: `${OVER_TIME} groupBy select numberFormat ${SERIES}`,
  table: `having onClick groupByColumnsOnLeft displayType sourceId asRatio groupBy select orderBy numberFormat ${SERIES}`,
  number: "displayType sourceId select color colorRules numberFormat backgroundChart formulas",
  pie: SLICES,
  bar: SLICES,
  heatmap: EVENTS,
  markdown: "displayType markdown",
  search: EVENTS,
  event_patterns: EVENTS,
};
const SQL_LINE = "fitYAxisToData compareToPreviousPeriod seriesLimit numberFormat";
const SQL_ORDER = `configType displayType connectionId sqlTemplate sourceId alignDateRangeToGranularity fillNulls ${SQL_LINE} onClick color`;

const DEFAULTS: Readonly<Record<string, JsonObject>> = {
  line: { asRatio: false, fillNulls: true },
  stacked_bar: { asRatio: false, fillNulls: true },
  table: { asRatio: false },
  heatmap: { where: "", whereLanguage: "lucene" },
  markdown: { markdown: "" },
  search: { where: "", whereLanguage: "lucene" },
  event_patterns: { select: "", where: "", whereLanguage: "lucene" },
};

/**
 * A tile of an unknown display type is returned as a line, without `fillNulls` and `whereLanguage`
 * (docs/api.md#hidden-tiles).
 */
const SUBSTITUTE = { displayType: "line" };
const SUBSTITUTE_SELECT = [{ aggFn: "count", where: "" }];

/** The first colours had numbers; responses contain their present names. */
const NUMBERED_COLORS: Readonly<Record<string, string>> = { "chart-1": "chart-green" };

/** A tile in the metric query language is not returned, nor are most members of an invalid form. */
export function configInResponse(config: JsonObject): JsonObject | undefined {
  const { configType, displayType } = config;
  if (configType === "promql") return undefined;
  if (configType === "sql") {
    if (!isOneOf(RAW_SQL_TILES, displayType))
      return shown(RAW_SQL_TILES.line, SQL_ORDER, { ...config, ...SUBSTITUTE }, {});
    const defaults = displayType === "line" || displayType === "stacked_bar" ? { fillNulls: true } : {};
    return shown(RAW_SQL_TILES[displayType], SQL_ORDER, config, defaults);
  }
  if (!isOneOf(BUILT_TILES, displayType))
    return { ...SUBSTITUTE, sourceId: config["sourceId"], select: SUBSTITUTE_SELECT };
  const schema = BUILT_TILES[displayType];
  return shown(schema, ORDER[displayType], healed(config, displayType), DEFAULTS[displayType] ?? {});
}

function isOneOf<Table extends object>(table: Table, name: unknown): name is keyof Table & string {
  return typeof name === "string" && Object.hasOwn(table, name);
}

/** Returned unchecked: the schemas demand ids of self-hosted stacks, and `shownSelect` handles `select`. */
const AS_STORED: ReadonlySet<string> = new Set(["select", "sourceId", "connectionId", "onClick"]);

function shown(schema: z.ZodObject, order: string, value: JsonObject, defaults: JsonObject): JsonObject {
  const members = order.split(" ").flatMap((name) => {
    const visibleValue: unknown = AS_STORED.has(name) ? value[name] : schema.shape[name]?.safeParse(value[name]).data;
    const content = visibleValue ?? defaults[name];
    return content === undefined ? [] : [[name, content]];
  });
  return Object.fromEntries(members);
}

/** The server makes these repairs when it reads a tile. */
function healed(config: JsonObject, displayType: keyof typeof BUILT_TILES): JsonObject {
  const { formulas, colorRules, color } = config;
  const hasFormulas = Array.isArray(formulas) && formulas.length > 0;
  const rules = Array.isArray(colorRules) ? colorRules.filter((rule) => colorRuleSchema.safeParse(rule).success) : [];
  return {
    ...config,
    formulas: hasFormulas ? formulas : undefined,
    ...(hasFormulas ? {} : { showOperandSeries: undefined }),
    colorRules: rules.length > 0 ? rules : undefined,
    color: typeof color === "string" ? (NUMBERED_COLORS[color] ?? color) : color,
    select: shownSelect(config["select"], displayType, hasFormulas),
  };
}

const SINGLE: ReadonlySet<string> = new Set(["number", "pie", "bar"]);

function shownSelect(select: unknown, displayType: keyof typeof BUILT_TILES, hasFormulas: boolean): unknown {
  if (displayType === "search" || displayType === "event_patterns" || displayType === "markdown") return select;
  if (typeof select === "string") return SUBSTITUTE_SELECT;
  if (!Array.isArray(select)) return undefined;
  const items = select.filter(isObject);
  if (displayType === "heatmap") return items.map(shownHeatmapItem);
  const isSingle = SINGLE.has(displayType) && !hasFormulas;
  return (isSingle ? items.slice(0, 1) : items).map(shownItem);
}

function shownHeatmapItem({ valueExpression = "", countExpression, heatmapScaleType }: JsonObject): JsonObject {
  return definedMembers({ valueExpression, countExpression, heatmapScaleType });
}

function shownItem(item: JsonObject): JsonObject {
  const aggFn = aggregateSchema.safeParse(item["aggFn"]).data ?? "none";
  const isCount = aggFn === "count";
  const value = isCount && item["valueExpression"] ? {} : { valueExpression: item["valueExpression"] ?? "" };
  const level = aggFn === "quantile" ? item["level"] : undefined;
  return shown(
    selectItemSchema,
    ITEM,
    { ...item, valueExpression: undefined, ...value, aggFn, level },
    { where: "", whereLanguage: "lucene" },
  );
}
