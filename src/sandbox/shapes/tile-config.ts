import type { JsonObject } from "../store/record.ts";
import { isObject } from "../store/record.ts";
import type { LegacySeries, TileConfig } from "../schema/tile.ts";

interface Shape {
  readonly order: readonly string[];
  readonly defaults?: JsonObject;
}

const OVER_TIME = { asRatio: false, fillNulls: true };
const EVENTS: Shape = {
  order: ["displayType", "sourceId", "select", "where", "whereLanguage", "numberFormat"],
  defaults: { where: "", whereLanguage: "lucene" },
};
const SLICES: Shape = { order: ["displayType", "sourceId", "select", "groupBy", "orderBy", "limit", "numberFormat"] };

// Members, order and defaults as `GET` gives them (recordings 11 and 214); those of managed alone stand at the end.
const BUILT: Readonly<Record<TileConfig["displayType"], Shape>> = {
  line: {
    order: [
      "displayType",
      "sourceId",
      "asRatio",
      "fillNulls",
      "groupBy",
      "select",
      "compareToPreviousPeriod",
      "numberFormat",
      "seriesLimit",
      "alignDateRangeToGranularity",
      "fitYAxisToData",
    ],
    defaults: OVER_TIME,
  },
  stacked_bar: {
    order: [
      "displayType",
      "sourceId",
      "asRatio",
      "fillNulls",
      "groupBy",
      "select",
      "numberFormat",
      "seriesLimit",
      "alignDateRangeToGranularity",
    ],
    defaults: OVER_TIME,
  },
  table: {
    order: [
      "having",
      "onClick",
      "displayType",
      "sourceId",
      "asRatio",
      "groupBy",
      "select",
      "orderBy",
      "numberFormat",
      "groupByColumnsOnLeft",
    ],
    defaults: { asRatio: false },
  },
  number: {
    order: ["displayType", "sourceId", "select", "groupBy", "color", "colorRules", "numberFormat", "backgroundChart"],
  },
  pie: SLICES,
  bar: SLICES,
  heatmap: EVENTS,
  markdown: { order: ["displayType", "markdown"] },
  search: EVENTS,
  event_patterns: EVENTS,
};

const SQL_ORDER = [
  "configType",
  "displayType",
  "connectionId",
  "sqlTemplate",
  "sourceId",
  "fillNulls",
  "numberFormat",
  "onClick",
  "color",
  "compareToPreviousPeriod",
  "alignDateRangeToGranularity",
  "fitYAxisToData",
];

const SERIES_ORDER = [
  "metricType",
  "metricName",
  "alias",
  "valueExpression",
  "aggFn",
  "where",
  "whereLanguage",
  "periodAggFn",
  "level",
  "numberFormat",
];
const SERIES_DEFAULTS = { valueExpression: "", where: "", whereLanguage: "lucene" };

/** A tile's configuration as `GET` gives it: the server's own order of members, its defaults filled in. */
export function tileConfigShape(config: TileConfig | JsonObject): JsonObject {
  const displayType = String(config["displayType"]);
  if (config["configType"] === "sql") {
    const overTime = displayType === "line" || displayType === "stacked_bar";
    return arrange(config, SQL_ORDER, overTime ? { fillNulls: true } : {});
  }
  const built: Readonly<Record<string, Shape | undefined>> = BUILT;
  const { order, defaults } = built[displayType] ?? { order: [] };
  const shape = arrange(config, order, defaults);
  return Array.isArray(shape["select"]) && displayType !== "heatmap"
    ? { ...shape, select: shape["select"].filter(isObject).map(seriesShape) }
    : shape;
}

function seriesShape(item: JsonObject): JsonObject {
  return arrange(item, SERIES_ORDER, SERIES_DEFAULTS);
}

/** The configuration that a tile with the older `series` stands for (recording 23). The first one sets the type. */
export function legacySeriesConfig(series: readonly LegacySeries[], asRatio?: boolean): JsonObject {
  const [first] = series;
  if (first === undefined) throw new TypeError("a tile with the older series has at least one series");
  if (first.type === "markdown") return { displayType: "markdown", markdown: first.content };
  if (first.type === "search") {
    const { sourceId, fields, where, whereLanguage } = first;
    return { displayType: "search", sourceId, select: fields.join(", "), where, whereLanguage };
  }
  const groupBy = "groupBy" in first ? (first.groupBy?.join(", ") ?? "") : "";
  return {
    displayType: first.type === "time" ? (first.displayType ?? "line") : first.type,
    sourceId: first.sourceId,
    ...(groupBy === "" ? {} : { groupBy }),
    ...(asRatio === undefined ? {} : { asRatio }),
    ...("numberFormat" in first ? { numberFormat: first.numberFormat } : {}),
    select: series.map(selectItem),
  };
}

function selectItem(series: LegacySeries): JsonObject {
  if (series.type === "markdown" || series.type === "search") return {};
  const { aggFn, field, level, where, whereLanguage } = series;
  const { alias, metricName, metricDataType } = {
    alias: undefined,
    metricName: undefined,
    metricDataType: undefined,
    ...series,
  };
  const metric = { metricType: metricDataType, metricName, alias };
  return { ...metric, valueExpression: field ?? "", aggFn, level, where, whereLanguage };
}

/** `value` with the members of `order` alone and in that order, those of `defaults` where they are absent. */
export function arrange(value: JsonObject, order: readonly string[], defaults: JsonObject = {}): JsonObject {
  const members = order.map((member) => [member, value[member] ?? defaults[member]] as const);
  return Object.fromEntries(members.filter(([, content]) => content !== undefined));
}
