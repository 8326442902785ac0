import type { JsonObject, JsonValue } from "../../core/json.ts";
import { isJsonArray, isJsonObject } from "../../core/json.ts";
import { textOf } from "../record-schema.ts";

/**
 * Tiles that keep no alerts: a managed stack takes none on them, and a self-hosted one deletes those that it took at the next
 * update of the dashboard (docs/api.md#tile-alerts). No answer tells it before the alerts are gone, so these are written down; of a
 * type that is not named nothing is known.
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

/** The dashboard with what stacks of one variant take as said and those of the other want to be told (extended API, Managed). */
export function withSaid(body: JsonObject): JsonObject {
  const { tiles, savedFilterValues } = body;
  return {
    ...body,
    ...(isJsonArray(tiles) && { tiles: tiles.map(withMember) }),
    ...(isJsonArray(savedFilterValues) && { savedFilterValues: savedFilterValues.map(withType) }),
  };
}

/** By display type: a member of a tile, and what it says where it is absent. */
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

/** Nothing is counted but rows: a write refuses an expression beside `count` (docs/api.md#dashboard-members). */
function countingRows(item: JsonValue): JsonValue {
  if (!isJsonObject(item) || item["aggFn"] !== "count") return item;
  const { valueExpression: _counted, ...rest } = item;
  return rest;
}

function withType(value: JsonValue): JsonValue {
  return isJsonObject(value) ? { ...value, type: value["type"] ?? "sql" } : value;
}
