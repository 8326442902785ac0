import type { JsonObject, JsonValue } from "../../core/json.ts";
import { isJsonArray, isJsonObject } from "../../core/json.ts";
import type { VariantMember } from "../../core/resource-kind.ts";
import { textOf } from "../record-schema.ts";

const CONFIG = "tiles[].config";
const ITEM = `${CONFIG}.select[]`;

/** A member of tiles of one display type. */
const shownAs = (member: string, displayType: string): VariantMember => ({
  path: `${CONFIG}.${member}`,
  when: { path: `${CONFIG}.displayType`, is: displayType },
});

/** A member of raw-SQL tiles. */
const inRawSql = (member: string): VariantMember => ({
  path: `${CONFIG}.${member}`,
  when: { path: `${CONFIG}.configType`, is: "sql" },
});

/** What self-hosted stacks have and the description of managed ones does not. */
export const SELF_HOSTED_ONLY: readonly VariantMember[] = [
  { path: `${CONFIG}.seriesLimit` },
  shownAs("groupBy", "number"),
  // Nothing is counted but rows (extended API, Managed).
  { path: `${ITEM}.valueExpression`, when: { path: `${ITEM}.aggFn`, is: "count" } },
  { path: "filters[].isVariableEnabled" },
];

/** What only the description of managed stacks has, in one kind of tile or in all. */
export const MANAGED_ONLY: readonly VariantMember[] = [
  ...["alignDateRangeToGranularity", "fitYAxisToData", "groupByColumnsOnLeft", "backgroundChart"].map((member) => ({
    path: `${CONFIG}.${member}`,
  })),
  ...["compareToPreviousPeriod", "color"].map(inRawSql),
  ...["pie", "bar"].map((displayType) => shownAs("orderBy", displayType)),
  { path: `${ITEM}.numberFormat` },
  { path: "containers[].bordered" },
  { path: "containers[].collapsible" },
];

/**
 * Tiles that keep no alerts: a managed stack takes none on them, and a self-hosted one deletes those that it took at the next
 * update of the dashboard (docs/api.md#tile-alerts). Of a type that is not named nothing is known.
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
  return member === undefined ? tile : { ...tile, config: { ...config, [member]: config[member] ?? value } };
}

function withType(value: JsonValue): JsonValue {
  return isJsonObject(value) ? { ...value, type: value["type"] ?? "sql" } : value;
}
