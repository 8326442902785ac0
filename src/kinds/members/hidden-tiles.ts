import { objectsIn, type JsonObject } from "../../core/json.ts";
import { textOfMember } from "../descriptor-parts.ts";
import { tileConfigOf } from "./dashboard-variants.ts";

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
