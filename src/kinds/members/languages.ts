import type { JsonObject, JsonValue } from "../../core/json.ts";
import { isJsonArray, isJsonObject } from "../../core/json.ts";
import type { Assumption } from "../../core/resource-kind.ts";
import { textOf } from "../record-schema.ts";

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
