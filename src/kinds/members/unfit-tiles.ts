import type { JsonObject, JsonValue } from "../../core/json.ts";
import { compactJson, isJsonArray, isJsonObject } from "../../core/json.ts";
import type { ChildIds, FindChild, FindRecord, Refusal } from "../../core/resource-kind.ts";
import { joinNames } from "../../core/text/plural.ts";
import { textOf } from "../record-schema.ts";
import { NOT_ALERTED } from "./dashboard-variants.ts";

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
