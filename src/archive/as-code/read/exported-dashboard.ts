import type { JsonObject, JsonValue } from "../../../core/json.ts";
import { isJsonArray, isJsonObject } from "../../../core/json.ts";
import type { Remarks } from "./exported-tile.ts";
import { remarkOnOtherMembers, pickMembers, tileConfig, emptyNameRemark } from "./exported-tile.ts";

/** An exported dashboard converted to the form of code files, as far as possible. */
interface ConvertedDashboard extends Remarks {
  readonly code: JsonObject;
}

/**
 * Recognises a file that the web interface has exported: it has a version, and its tiles have their names inside their
 * configuration.
 */
export function isExportedDashboard(value: JsonObject): boolean {
  const { version, tiles } = value;
  if (typeof version !== "string" || !isJsonArray(tiles)) return false;
  return tiles.every((tile) => isJsonObject(tile) && tile["name"] === undefined);
}

/** True for a text that may be such a file: a quick check before it is parsed. */
export function looksExported(text: string): boolean {
  return ["version", "tiles"].every((member) => text.includes(member));
}

const DASHBOARD = ["name", "tags", "savedQuery", "savedQueryLanguage", "savedFilterValues"];
const CONTAINER = ["id", "title", "collapsed", "collapsible", "bordered", "tabs"];
const TILE = ["x", "y", "w", "h", "containerId", "tabId"];

/**
 * Converts a dashboard that the web interface has exported to the form of code files. The export already names sources,
 * connections and linked dashboards, but its tiles have other members than the API's.
 */
export function fromExportedDashboard(exported: JsonObject): ConvertedDashboard {
  const remarks: Remarks = { leftOut: [], mistakes: [] };
  const { tiles, filters, containers } = exported;
  remarkOnOtherMembers(exported, ["version", "tiles", "filters", "containers", ...DASHBOARD], [], remarks);
  const code: JsonObject = {
    ...pickMembers(exported, DASHBOARD),
    ...(isJsonArray(filters) && {
      filters: objectsOf(filters).map((filter, at) => filterOf(filter, ["filters", String(at)], remarks)),
    }),
    ...(isJsonArray(containers) && { containers: containers.map((container) => pickMembers(container, CONTAINER)) }),
    tiles: objectsOf(tiles).map((tile, at) => tileOf(tile, ["tiles", String(at)], remarks)),
  };
  return { code, ...remarks };
}

function filterOf(filter: JsonObject, place: readonly string[], remarks: Remarks): JsonObject {
  if (filter["source"] === "") remarks.mistakes.push(emptyNameRemark("source", place));
  const members = Object.keys(filter).filter((member) => member !== "id");
  return pickMembers(filter, members);
}

function tileOf(tile: JsonObject, place: readonly string[], remarks: Remarks): JsonObject {
  remarkOnOtherMembers(tile, ["id", "config", ...TILE], place, remarks);
  const config = isJsonObject(tile["config"]) ? tile["config"] : {};
  const name = config["name"] ?? "";
  return { name, ...pickMembers(tile, TILE), config: tileConfig(config, [...place, "config"], remarks) };
}

function objectsOf(value: JsonValue | undefined): readonly JsonObject[] {
  return isJsonArray(value) ? value.filter(isJsonObject) : [];
}
