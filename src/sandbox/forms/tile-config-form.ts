import type { JsonObject } from "../record.ts";
import { isObject } from "../record.ts";
import type { TileConfig } from "../schema/tile-config.ts";
import { arrange } from "./arrange.ts";

interface Form {
  readonly order: readonly string[];
  readonly defaults?: JsonObject;
}

const OVER_TIME = { asRatio: false, fillNulls: true };
const EVENTS: Form = {
  order: ["displayType", "sourceId", "select", "where", "whereLanguage", "numberFormat"],
  defaults: { where: "", whereLanguage: "lucene" },
};
const SLICES: Form = { order: ["displayType", "sourceId", "select", "groupBy", "limit", "numberFormat"] };

// Members, order and defaults as `GET` gives them (recordings 11 and 214).
const BUILT: Readonly<Record<TileConfig["displayType"], Form>> = {
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
    ],
    defaults: OVER_TIME,
  },
  stacked_bar: {
    order: ["displayType", "sourceId", "asRatio", "fillNulls", "groupBy", "select", "numberFormat", "seriesLimit"],
    defaults: OVER_TIME,
  },
  table: {
    order: ["having", "onClick", "displayType", "sourceId", "asRatio", "groupBy", "select", "orderBy", "numberFormat"],
    defaults: { asRatio: false },
  },
  number: { order: ["displayType", "sourceId", "select", "groupBy", "color", "colorRules", "numberFormat"] },
  pie: SLICES,
  bar: SLICES,
  heatmap: EVENTS,
  markdown: { order: ["displayType", "markdown"] },
  search: EVENTS,
  event_patterns: EVENTS,
};

const SQL_ORDER = ["configType", "displayType", "connectionId", "sqlTemplate", "sourceId", "fillNulls", "numberFormat"];

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
];
const SERIES_DEFAULTS = { valueExpression: "", where: "", whereLanguage: "lucene" };

/** A tile's configuration as `GET` gives it: the server's own order of members, its defaults filled in. */
export function tileConfigForm(config: TileConfig): JsonObject {
  const { displayType } = config;
  if (config.configType === "sql") {
    const overTime = displayType === "line" || displayType === "stacked_bar";
    return arrange(config, SQL_ORDER, overTime ? { fillNulls: true } : {});
  }
  const { order, defaults } = BUILT[displayType];
  const form = arrange(config, order, defaults);
  return Array.isArray(form["select"]) && displayType !== "heatmap"
    ? { ...form, select: form["select"].filter(isObject).map(seriesForm) }
    : form;
}

function seriesForm(item: JsonObject): JsonObject {
  return arrange(item, SERIES_ORDER, SERIES_DEFAULTS);
}
