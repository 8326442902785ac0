import type { JsonObject, JsonValue } from "../../core/json.ts";
import { isJsonArray, isJsonObject } from "../../core/json.ts";
import { textOf } from "../record-schema.ts";

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
