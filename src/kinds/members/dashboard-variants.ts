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

/** Managed stacks refuse alerts on these tiles, self-hosted stacks delete such alerts at an update (docs/api.md#tile-alerts). */
export const TILES_WITHOUT_ALERTS: readonly string[] = [
  "table",
  "pie",
  "bar",
  "heatmap",
  "search",
  "event_patterns",
  "markdown",
];

/** The member that a tile of this type must have, and its value if absent. */
const IMPLIED_MEMBERS: Readonly<Record<string, readonly [member: string, value: string]>> = {
  markdown: ["markdown", ""],
  event_patterns: ["select", ""],
};

/** One variant omits the implied members, and the other requires them. */
function withImpliedMembers(config: JsonObject): JsonObject {
  const shows = textOfMember(config, "displayType");
  const [member, value] = ownMember(IMPLIED_MEMBERS, shows) ?? [];
  const implied = member === undefined ? {} : { [member]: config[member] ?? value };
  const select = isJsonArray(config["select"]) ? { select: mapItems(config["select"], countingRows) } : {};
  return withMembers(config, { ...implied, ...select });
}

/** A write refuses a value expression beside `count` (docs/api.md#dashboard-members). */
function countingRows(item: JsonValue): JsonValue {
  if (!isJsonObject(item) || item["aggFn"] !== "count" || item["valueExpression"] === undefined) return item;
  const { valueExpression: _counted, ...rest } = item;
  return rest;
}

function withType(value: JsonValue): JsonValue {
  return isJsonObject(value) ? { ...value, type: value["type"] ?? "sql" } : value;
}

/** The server drops the formulas of other display types. */
const CALCULATED: readonly string[] = ["line", "stacked_bar", "table", "number"];

const CALCULABLE: readonly string[] = ["metric", "log", "trace"];

/** Raw SQL tiles that accept alerts only with an interval in the SQL (docs/api.md#tile-alerts). */
const WITH_INTERVAL: readonly string[] = ["line", "stacked_bar"];

/** The names of parameters and macros differ between releases. */
const INTERVAL = /\{\s*interval|\$__\w*interval/i;

export function isTileWithoutAlerts(tile: JsonObject): boolean {
  return TILES_WITHOUT_ALERTS.includes(textOfMember(tileConfigOf(tile), "displayType"));
}

/** docs/api.md#tile-alerts */
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

function takesAlertsBySql(tile: JsonObject): boolean {
  const config = tileConfigOf(tile);
  if (textOfMember(config, "configType") !== "sql") return true;
  const shows = textOfMember(config, "displayType");
  return shows === "number" || (WITH_INTERVAL.includes(shows) && INTERVAL.test(textOfMember(config, "sqlTemplate")));
}

/** Answers contain a heatmap with an empty value expression, and a write refuses it (docs/api.md#hidden-tiles). */
export function refuseEmptyHeatmap(config: JsonValue) {
  if (!isJsonObject(config) || textOfMember(config, "displayType") !== "heatmap") return undefined;
  const isEmpty = objectsIn(config["select"]).some(({ valueExpression }) => valueExpression === "");
  return isEmpty ? { change: "a heatmap with a value expression" } : undefined;
}

/** An update accepts an unsupported heatmap or formula only if the target has it already (docs/api.md#dashboards). */
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

function tileConfigOf({ config }: JsonObject): JsonObject {
  return isJsonObject(config) ? config : {};
}

function isHeatmap({ displayType, configType }: JsonObject): boolean {
  return displayType === "heatmap" && configType !== "sql";
}

function hasFormulas(config: JsonObject): boolean {
  const { configType, formulas } = config;
  if (configType === "sql" || !CALCULATED.includes(textOfMember(config, "displayType"))) return false;
  return isJsonArray(formulas) && formulas.length > 0;
}

/** These tiles have one condition instead of a condition for each select item. */
const WITH_CONDITION: readonly string[] = ["heatmap", "search", "event_patterns"];

export function withOmittedMembers(body: JsonObject): JsonObject {
  const { tiles, filters, savedQuery, savedQueryLanguage, savedFilterValues } = body;
  return withMembers(body, {
    // A write refuses a language of null beside any query, even an empty one (docs/api.md#saved-queries).
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
 * The server would read a condition without a language as SQL, although its answer shows `lucene` (docs/api.md#dashboard-members).
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

/** An item without `aggFn` has no condition, as in a heatmap. */
function itemWithLanguage(item: JsonValue): JsonValue {
  if (!isJsonObject(item) || item["aggFn"] === undefined) return item;
  return withMembers(item, { whereLanguage: item["whereLanguage"] ?? "lucene" });
}

function withLanguage(value: JsonValue, condition: string, language: string): JsonValue {
  if (!isJsonObject(value) || typeof value[condition] !== "string") return value;
  return withMembers(value, { whereLanguage: value["whereLanguage"] ?? language });
}

/** The web interface stores queries without a language (docs/api.md#saved-queries). */
export function assumedLanguages({ savedQuery, savedQueryLanguage }: JsonObject): readonly Assumption[] {
  const isSilent = typeof savedQuery === "string" && savedQuery !== "" && savedQueryLanguage === null;
  return isSilent ? [{ pointer: "/savedQueryLanguage", value: "lucene" }] : [];
}

// A self-hosted stack hides some content of tiles, but shows signs of it (docs/api.md#hidden-tiles).

/** A self-hosted stack always shows `fillNulls` for these types. */
const FILLED: readonly string[] = ["line", "stacked_bar"];

/** A self-hosted stack always shows the language of each select item for these types. */
const SELECTING: readonly string[] = [...FILLED, "table", "number", "pie", "bar"];

/** A substitute lacks a member that the server shows for true tiles of its type. */
export function isSubstituteTile(tile: JsonObject): boolean {
  const config = tileConfigOf(tile);
  const shows = textOfMember(config, "displayType");
  if (FILLED.includes(shows) && config["fillNulls"] === undefined) return true;
  if (!SELECTING.includes(shows)) return false;
  return objectsIn(config["select"]).some(({ whereLanguage }) => whereLanguage === undefined);
}

/** docs/api.md#hidden-settings */
export const NEVER_SHOWN: readonly string[] = [
  "tiles of the metric query language, which the API leaves out",
  "settings of a whole chart made in the web interface: condition, limit, granularity, filters, language of having, row stripes, ratioMode, other fill values, lists of groups or orders, links of other charts than tables, implicitColumnExpression, sampleWeightExpression, eventTableSelect, selectGroupBy",
  "settings of a series made in the web interface: colour, other quantile levels, aggregates that the API shows as none, the name of a metric by SQL, a value expression beside count; the second series of a number or pie",
  "settings of a filter made in the web interface: the name of a variable that is off, appliesToSourceIds without a broadcast",
];

/** Only the most frequent settings. */
export const HIDDEN_SETTINGS = "conditions and limits of the whole chart, granularity, colours, row stripes …";

const ID_OF_API = /^[\da-f]{24}$/i;

/**
 * A tile of the web interface or a template may have settings that no answer shows (docs/api.md#hidden-settings). Markdown tiles have
 * none.
 */
export function isMadeElsewhere(tile: JsonObject): boolean {
  return !ID_OF_API.test(textOfMember(tile, "id")) && textOfMember(tileConfigOf(tile), "displayType") !== "markdown";
}
