import {
  isJsonArray,
  isJsonObject,
  compactJson,
  mapItems,
  withMembers,
  ownMember,
  objectsIn,
  type JsonObject,
  type JsonValue,
} from "../../core/json.ts";
import { textOfMember } from "../descriptor-parts.ts";
import type { ChildIds, FindChild, FindRecord, Refusal, Assumption } from "../../core/resource-kind.ts";
import { MAX_NAMED, joinNames } from "../../core/text/format.ts";

/**
 * Tile types that keep no alerts. A managed stack refuses alerts on such tiles. A self-hosted stack accepts the alerts, but deletes
 * them at the next update of the dashboard (docs/api.md#tile-alerts). Answers show this only after the alerts are gone, so this
 * list is needed; the list may be incomplete.
 */
export const TILES_WITHOUT_ALERTS: readonly string[] = [
  "table",
  "pie",
  "bar",
  "heatmap",
  "search",
  "event_patterns",
  "markdown",
];

/** By display type of a tile: the member to add if it is absent, and its value. */
const IMPLIED_MEMBERS: Readonly<Record<string, readonly [member: string, value: string]>> = {
  markdown: ["markdown", ""],
  event_patterns: ["select", ""],
};

/** Adds members that one variant may omit and the other requires (docs/api.md#managed). Removes what a write refuses. */
function withImpliedMembers(config: JsonObject): JsonObject {
  const shows = textOfMember(config, "displayType");
  const [member, value] = ownMember(IMPLIED_MEMBERS, shows) ?? [];
  const implied = member === undefined ? {} : { [member]: config[member] ?? value };
  const select = isJsonArray(config["select"]) ? { select: mapItems(config["select"], countingRows) } : {};
  return withMembers(config, { ...implied, ...select });
}

/** Removes the value expression beside `count`, because a write refuses it (docs/api.md#dashboard-members). */
function countingRows(item: JsonValue): JsonValue {
  if (!isJsonObject(item) || item["aggFn"] !== "count" || item["valueExpression"] === undefined) return item;
  const { valueExpression: _counted, ...rest } = item;
  return rest;
}

function withType(value: JsonValue): JsonValue {
  return isJsonObject(value) ? { ...value, type: value["type"] ?? "sql" } : value;
}

/** Display types of charts that can have formulas. */
const CALCULATED: readonly string[] = ["line", "stacked_bar", "table", "number"];

/** Kinds of sources that support formulas. */
const CALCULABLE: readonly string[] = ["metric", "log", "trace"];

/** Raw SQL tiles that accept alerts only with an interval parameter or macro. Numbers need none (docs/api.md#tile-alerts). */
const WITH_INTERVAL: readonly string[] = ["line", "stacked_bar"];

/** Matches any parameter or macro for an interval, because releases differ in the names that they know. */
const INTERVAL = /\{\s*interval|\$__\w*interval/i;

export function isTileWithoutAlerts(tile: JsonObject): boolean {
  return TILES_WITHOUT_ALERTS.includes(textOfMember(tileConfigOf(tile), "displayType"));
}

/** By variant: the tiles that accept an alert (docs/api.md#tile-alerts). */
export const TILES_ACCEPTING_ALERTS: NonNullable<ChildIds["pointedTo"]> = {
  managed: {
    accepts: (tile) => !isTileWithoutAlerts(tile) && takesAlertsBySql(tile),
    only: "line, stacked-bar and number tiles, with an interval in the raw SQL of the first two",
  },
  "self-hosted": {
    accepts: takesAlertsBySql,
    only: "charts from the chart builder, number tiles in raw SQL, and line or stacked-bar tiles in raw SQL with an interval parameter or macro",
  },
};

/** Tells whether the tile's raw SQL allows an alert; true for a tile that is built without SQL. */
function takesAlertsBySql(tile: JsonObject): boolean {
  const config = tileConfigOf(tile);
  if (textOfMember(config, "configType") !== "sql") return true;
  const shows = textOfMember(config, "displayType");
  return shows === "number" || (WITH_INTERVAL.includes(shows) && INTERVAL.test(textOfMember(config, "sqlTemplate")));
}

/** Answers contain heatmaps without a value expression; writes refuse them (docs/api.md#dashboard-members). */
export function refuseEmptyHeatmap(config: JsonValue) {
  if (!isJsonObject(config) || textOfMember(config, "displayType") !== "heatmap") return undefined;
  const isEmpty = objectsIn(config["select"]).some(({ valueExpression }) => valueExpression === "");
  return isEmpty ? { change: "a heatmap with a value expression" } : undefined;
}

/**
 * Refuses heatmaps and formulas on kinds of sources that do not allow them. An update accepts such a tile if the target's tile
 * already has the same heatmap or formulas on the same source. So the dashboard can be restored on its own stack, but not created
 * on another one (docs/api.md#dashboards).
 */
export function tileRefusal(body: JsonObject, find: FindRecord, before: FindChild = () => undefined) {
  const unfit = objectsIn(body["tiles"]).filter((tile) => isUnfit(tile, find, before));
  if (unfit.length === 0) return undefined;
  const tileNames = joinNames(
    unfit,
    MAX_NAMED,
    (tile) => `"${textOfMember(tile, "name") || textOfMember(tile, "id")}"`,
  );
  const message = `the API accepts new heatmaps only on sources of traces, and new formulas only on sources of metrics, logs and traces: ${tileNames}; change these tiles on the stack that the archive is from`;
  return { code: "would-be-refused", message } satisfies Refusal;
}

function isUnfit(tile: JsonObject, find: FindRecord, before: FindChild): boolean {
  const config = tileConfigOf(tile);
  const isOne = [isHeatmap, hasFormulas].find((is) => is(config));
  if (isOne === undefined) return false;
  const source = find("sources", textOfMember(config, "sourceId"));
  const kind = source === undefined ? "" : textOfMember(source.body, "kind");
  if (kind === "" || (isOne === isHeatmap ? ["trace"] : CALCULABLE).includes(kind)) return false;
  const configBefore = tileConfigOf(before(tile) ?? {});
  const isSame =
    isOne === isHeatmap || compactJson(configBefore["formulas"] ?? null) === compactJson(config["formulas"] ?? null);
  return !(isOne(configBefore) && isSame && configBefore["sourceId"] === source?.id);
}

/** Returns the configuration of a tile; an empty one if the tile has none. */
function tileConfigOf({ config }: JsonObject): JsonObject {
  return isJsonObject(config) ? config : {};
}

function isHeatmap({ displayType, configType }: JsonObject): boolean {
  return displayType === "heatmap" && configType !== "sql";
}

/** Tells whether a chart has formulas. The server drops formulas of charts of other display types, so they do not count. */
function hasFormulas(config: JsonObject): boolean {
  const { configType, formulas } = config;
  if (configType === "sql" || !CALCULATED.includes(textOfMember(config, "displayType"))) return false;
  return isJsonArray(formulas) && formulas.length > 0;
}

/** Tile types with one condition for the whole tile instead of one for each select item. */
const WITH_CONDITION: readonly string[] = ["heatmap", "search", "event_patterns"];

/** Returns a dashboard with the members that stacks may leave out, and with a language beside each condition. */
export function withOmittedMembers(body: JsonObject): JsonObject {
  const { tiles, filters, savedQuery, savedQueryLanguage, savedFilterValues } = body;
  return withMembers(body, {
    // The API refuses a language of null beside any query, even an empty one (docs/api.md#saved-queries).
    ...(typeof savedQuery === "string" && { savedQueryLanguage: savedQueryLanguage ?? "lucene" }),
    ...(isJsonArray(tiles) && { tiles: mapItems(tiles, tileWithOmittedMembers) }),
    ...(isJsonArray(filters) && { filters: mapItems(filters, (filter) => withLanguage(filter, "where", "sql")) }),
    ...(isJsonArray(savedFilterValues) && { savedFilterValues: mapItems(savedFilterValues, withType) }),
  });
}

function tileWithOmittedMembers(tile: JsonValue): JsonValue {
  const config = isJsonObject(tile) ? tile["config"] : undefined;
  if (!isJsonObject(tile) || !isJsonObject(config)) return tile;
  return withMembers(tile, { config: withLanguages(withImpliedMembers(config)) });
}

/**
 * Adds a language beside each condition that has none. For a condition without a language, the server stores no language and copies
 * the text unchanged into the query, although its answers show `lucene`. In filters, an absent language means `sql`
 * (docs/api.md#dashboard-members).
 */
function withLanguages(config: JsonObject): JsonObject {
  const { select, onClick } = config;
  const hasCondition =
    WITH_CONDITION.includes(textOfMember(config, "displayType")) || typeof config["where"] === "string";
  return withMembers(config, {
    ...(hasCondition && { whereLanguage: config["whereLanguage"] ?? "lucene" }),
    ...(isJsonArray(select) && { select: mapItems(select, itemWithLanguage) }),
    ...(onClick !== undefined && { onClick: withLanguage(onClick, "whereTemplate", "lucene") }),
  });
}

/** Adds a language to a select item with an aggregation, whose condition may be empty. A heatmap has no such item. */
function itemWithLanguage(item: JsonValue): JsonValue {
  if (!isJsonObject(item) || item["aggFn"] === undefined) return item;
  return withMembers(item, { whereLanguage: item["whereLanguage"] ?? "lucene" });
}

function withLanguage(value: JsonValue, condition: string, language: string): JsonValue {
  if (!isJsonObject(value) || typeof value[condition] !== "string") return value;
  return withMembers(value, { whereLanguage: value["whereLanguage"] ?? language });
}

/** Reports the assumed language of a query that the web interface stored without one (docs/api.md#saved-queries). */
export function assumedLanguages({ savedQuery, savedQueryLanguage }: JsonObject): readonly Assumption[] {
  const isSilent = typeof savedQuery === "string" && savedQuery !== "" && savedQueryLanguage === null;
  return isSilent ? [{ pointer: "/savedQueryLanguage", value: "lucene" }] : [];
}

// A self-hosted stack does not show all content of a tile; its answers have signs of this content (docs/api.md#hidden-tiles).

/** Charts for which a self-hosted stack always states whether gaps are filled. */
const FILLED: readonly string[] = ["line", "stacked_bar"];

/** Charts for which a self-hosted stack always states the language of each select item. */
const SELECTING: readonly string[] = [...FILLED, "table", "number", "pie", "bar"];

/**
 * Tells whether a tile in a self-hosted stack's answer is a substitute for a tile that the API cannot show. A write of the
 * substitute would overwrite the true tile. A substitute lacks members that the server returns for every true tile.
 */
export function isSubstituteTile(tile: JsonObject): boolean {
  const config = tileConfigOf(tile);
  const shows = textOfMember(config, "displayType");
  if (FILLED.includes(shows) && config["fillNulls"] === undefined) return true;
  if (!SELECTING.includes(shows)) return false;
  return objectsIn(config["select"]).some(({ whereLanguage }) => whereLanguage === undefined);
}

/** For people: all content of dashboards that the web interface stores and no answer shows (docs/api.md#hidden-settings). */
export const NEVER_SHOWN: readonly string[] = [
  "tiles of the metric query language, which the API leaves out",
  "settings of a whole chart made in the web interface: condition, limit, granularity, filters, language of having, row stripes, ratioMode, other fill values, lists of groups or orders, links of other charts than tables, implicitColumnExpression, sampleWeightExpression, eventTableSelect, selectGroupBy",
  "settings of a series made in the web interface: colour, other quantile levels, aggregates that the API shows as none, the name of a metric by SQL, a value expression beside count; the second series of a number or pie",
  "settings of a filter made in the web interface: the name of a variable that is off, appliesToSourceIds without a broadcast",
];

/** For people: the settings that tiles often have and no answer shows. */
export const HIDDEN_SETTINGS = "conditions and limits of the whole chart, granularity, colours, row stripes …";

/** The form of the ids that the API gives to tiles. */
const ID_OF_API = /^[\da-f]{24}$/i;

/**
 * Tells whether a tile was made in the web interface or from a template: only these choose ids of another form. Such a tile may
 * have settings that no answer shows. A Markdown tile has none.
 */
export function isMadeElsewhere(tile: JsonObject): boolean {
  return !ID_OF_API.test(textOfMember(tile, "id")) && textOfMember(tileConfigOf(tile), "displayType") !== "markdown";
}
