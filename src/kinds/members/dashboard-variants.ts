import type { JsonObject, JsonValue } from "../../core/json.ts";
import { isJsonArray, isJsonObject, compactJson } from "../../core/json.ts";
import { textOf } from "../record-schema.ts";
import type { ChildIds, FindChild, FindRecord, Refusal, Assumption } from "../../core/resource-kind.ts";
import { joinNames } from "../../core/text/format.ts";

/**
 * Tile types that keep no alerts: a managed stack refuses alerts on them, and a self-hosted one accepts them but deletes them at
 * the next update of the dashboard (docs/api.md#tile-alerts). No answer reveals this before the alerts are gone, hence this list;
 * about other types nothing is known.
 */
export const NOT_ALERTED: readonly string[] = [
  "table",
  "pie",
  "bar",
  "heatmap",
  "search",
  "event_patterns",
  "markdown",
];

/** Adds members that stacks of one variant may omit and those of the other require (docs/api.md#managed). */
export function withSaid(body: JsonObject): JsonObject {
  const { tiles, savedFilterValues } = body;
  return {
    ...body,
    ...(isJsonArray(tiles) && { tiles: tiles.map(withMember) }),
    ...(isJsonArray(savedFilterValues) && { savedFilterValues: savedFilterValues.map(withType) }),
  };
}

/** By display type: a member of a tile, and its value where it is absent. */
const SAID: Readonly<Record<string, readonly [member: string, value: string]>> = {
  markdown: ["markdown", ""],
  event_patterns: ["select", ""],
};

function withMember(tile: JsonValue): JsonValue {
  const config = isJsonObject(tile) ? tile["config"] : undefined;
  if (!isJsonObject(tile) || !isJsonObject(config)) return tile;
  const shows = textOf(config, "displayType");
  const [member, value] = (Object.hasOwn(SAID, shows) ? SAID[shows] : undefined) ?? [];
  const said = member === undefined ? {} : { [member]: config[member] ?? value };
  const select = isJsonArray(config["select"]) ? { select: config["select"].map(countingRows) } : {};
  return { ...tile, config: { ...config, ...said, ...select } };
}

/** Only rows are counted: a write refuses an expression beside `count` (docs/api.md#dashboard-members). */
function countingRows(item: JsonValue): JsonValue {
  if (!isJsonObject(item) || item["aggFn"] !== "count") return item;
  const { valueExpression: _counted, ...rest } = item;
  return rest;
}

function withType(value: JsonValue): JsonValue {
  return isJsonObject(value) ? { ...value, type: value["type"] ?? "sql" } : value;
}

const MAX_NAMED = 5;

/** Charts that have formulas. */
const CALCULATED: readonly string[] = ["line", "stacked_bar", "table", "number"];

/** Kinds of sources that support formulas. */
const CALCULABLE: readonly string[] = ["metric", "log", "trace"];

/**
 * Types on which an alert accepts raw SQL only with an interval; a number also accepts it without one (docs/api.md#tile-alerts).
 */
const WITH_INTERVAL: readonly string[] = ["line", "stacked_bar"];

/** Any parameter or macro of an interval: the ones that the server knows differ by release. */
const INTERVAL = /\{\s*interval|\$__\w*interval/i;

/** Tells whether a tile is of a type that keeps no alerts. */
export function isNotAlerted({ config }: JsonObject): boolean {
  return config !== undefined && isJsonObject(config) && NOT_ALERTED.includes(textOf(config, "displayType"));
}

/** By variant: the tiles that accept an alert (docs/api.md#tile-alerts). */
export const ALERTED: NonNullable<ChildIds["pointedTo"]> = {
  managed: {
    accepts: (tile) => !isNotAlerted(tile) && takesAlertsBySql(tile),
    only: "line, stacked-bar and number tiles, with an interval in the raw SQL of the first two",
  },
  "self-hosted": {
    accepts: takesAlertsBySql,
    only: "charts that are built, or raw SQL of a number, or of a line or stacked bar with an interval parameter or macro",
  },
};

/** Tells whether the tile's raw SQL allows an alert; true for a tile that is built without SQL. */
function takesAlertsBySql({ config }: JsonObject): boolean {
  if (config === undefined || !isJsonObject(config) || textOf(config, "configType") !== "sql") return true;
  const shows = textOf(config, "displayType");
  return shows === "number" || (WITH_INTERVAL.includes(shows) && INTERVAL.test(textOf(config, "sqlTemplate")));
}

/**
 * Refuses a heatmap without a value expression, which an answer shows where none was chosen but every write refuses
 * (docs/api.md#dashboard-members).
 */
export function emptyHeatmap(config: JsonValue) {
  if (!isJsonObject(config) || textOf(config, "displayType") !== "heatmap") return undefined;
  const { select } = config;
  const isEmpty = isJsonArray(select) && select.some((item) => isJsonObject(item) && item["valueExpression"] === "");
  return isEmpty ? { change: "a heatmap with a value expression" } : undefined;
}

/**
 * Refuses tiles whose type a write does not accept on their kind of source. An update accepts such a tile if the target's tile
 * already has this form on this source: the dashboard can be restored there, but not created elsewhere (docs/api.md#dashboards).
 */
export function refusedTiles(body: JsonObject, find: FindRecord, before: FindChild = () => undefined) {
  const tiles = isJsonArray(body["tiles"]) ? body["tiles"].filter(isJsonObject) : [];
  const unfit = tiles.filter((tile) => isUnfit(tile, find, before));
  if (unfit.length === 0) return undefined;
  const tileNames = joinNames(unfit, MAX_NAMED, (tile) => `"${textOf(tile, "name") || textOf(tile, "id")}"`);
  const message = `the API accepts new heatmaps only on sources of traces, and new formulas only on sources of metrics, logs and traces: ${tileNames}; change these tiles on the source stack`;
  return { code: "unfit-source", message } satisfies Refusal;
}

function isUnfit(tile: JsonObject, find: FindRecord, before: FindChild): boolean {
  const config = configOf(tile);
  const isOne = [isHeatmap, hasFormulas].find((is) => is(config));
  if (isOne === undefined) return false;
  const source = find("sources", textOf(config, "sourceId"));
  const kind = source === undefined ? "" : textOf(source.body, "kind");
  if (kind === "" || (isOne === isHeatmap ? ["trace"] : CALCULABLE).includes(kind)) return false;
  const had = configOf(before(tile) ?? {});
  const isSame =
    isOne === isHeatmap || compactJson(had["formulas"] ?? null) === compactJson(config["formulas"] ?? null);
  return !(isOne(had) && isSame && had["sourceId"] === source?.id);
}

function configOf({ config }: JsonObject): JsonObject {
  return config !== undefined && isJsonObject(config) ? config : {};
}

function isHeatmap({ displayType, configType }: JsonObject): boolean {
  return displayType === "heatmap" && configType !== "sql";
}

/** The server drops formulas of other charts. */
function hasFormulas(config: JsonObject): boolean {
  const { configType, formulas } = config;
  if (configType === "sql" || !CALCULATED.includes(textOf(config, "displayType"))) return false;
  return isJsonArray(formulas) && formulas.length > 0;
}

/** Tiles that have one condition of their own, instead of one for each select item. */
const WITH_CONDITION: readonly string[] = ["heatmap", "search", "event_patterns"];

/**
 * Adds a language beside each condition. If none is sent, the server stores none, still shows `lucene`, and copies the text into
 * the query as it is; in filters, an absent language means `sql` (docs/api.md#dashboard-members).
 */
export function withLanguages(body: JsonObject): JsonObject {
  const { tiles, filters, savedQuery, savedQueryLanguage } = body;
  return {
    ...body,
    // A query, even an empty one, is refused beside a language of null (docs/api.md#saved-queries).
    ...(typeof savedQuery === "string" && { savedQueryLanguage: savedQueryLanguage ?? "lucene" }),
    ...(isJsonArray(tiles) && { tiles: tiles.map(tileWithLanguages) }),
    ...(isJsonArray(filters) && { filters: filters.map((filter) => withLanguage(filter, "where", "sql")) }),
  };
}

function tileWithLanguages(tile: JsonValue): JsonValue {
  const config = isJsonObject(tile) ? tile["config"] : undefined;
  if (!isJsonObject(tile) || !isJsonObject(config)) return tile;
  return { ...tile, config: configWithLanguages(config) };
}

function configWithLanguages(config: JsonObject): JsonObject {
  const { select, onClick } = config;
  const hasCondition = WITH_CONDITION.includes(textOf(config, "displayType")) || typeof config["where"] === "string";
  return {
    ...config,
    ...(hasCondition && { whereLanguage: config["whereLanguage"] ?? "lucene" }),
    ...(isJsonArray(select) && { select: select.map(itemWithLanguage) }),
    ...(onClick !== undefined && { onClick: withLanguage(onClick, "whereTemplate", "lucene") }),
  };
}

/** An item with an aggregation has a condition, possibly empty; an item of a heatmap has none. */
function itemWithLanguage(item: JsonValue): JsonValue {
  if (!isJsonObject(item) || item["aggFn"] === undefined) return item;
  return { ...item, whereLanguage: item["whereLanguage"] ?? "lucene" };
}

function withLanguage(value: JsonValue, condition: string, language: string): JsonValue {
  if (!isJsonObject(value) || typeof value[condition] !== "string") return value;
  return { ...value, whereLanguage: value["whereLanguage"] ?? language };
}

/** Reports the language that is assumed for a query which the web interface stored without one (docs/api.md#saved-queries). */
export function assumedLanguages({ savedQuery, savedQueryLanguage }: JsonObject): readonly Assumption[] {
  const isSilent = typeof savedQuery === "string" && savedQuery !== "" && savedQueryLanguage === null;
  return isSilent ? [{ pointer: "/savedQueryLanguage", value: "lucene" }] : [];
}
