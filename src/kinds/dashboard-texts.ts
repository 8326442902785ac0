import type { JsonObject, JsonValue } from "../core/json.ts";
import { isJsonArray, isJsonObject } from "../core/json.ts";
import { textOf } from "./record-schema.ts";

/** The dashboard with what managed stacks take as said and self-hosted ones want to be told (extended API, Managed). */
export function withSaid(body: JsonObject): JsonObject {
  const { tiles, savedFilterValues } = body;
  return {
    ...body,
    ...(isJsonArray(tiles) && { tiles: tiles.map(withText) }),
    ...(isJsonArray(savedFilterValues) && { savedFilterValues: savedFilterValues.map(withType) }),
  };
}

/** An absent text of a tile is an empty one. */
function withText(tile: JsonValue): JsonValue {
  const config = isJsonObject(tile) ? tile["config"] : undefined;
  if (!isJsonObject(tile) || !isJsonObject(config)) return tile;
  const shows = textOf(config, "displayType");
  if (shows === "markdown") return { ...tile, config: { ...config, markdown: config["markdown"] ?? "" } };
  return shows === "event_patterns" ? { ...tile, config: { ...config, select: config["select"] ?? "" } } : tile;
}

function withType(value: JsonValue): JsonValue {
  return isJsonObject(value) ? { ...value, type: value["type"] ?? "sql" } : value;
}
