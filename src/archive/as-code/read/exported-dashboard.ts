import {
  isJsonArray,
  isJsonObject,
  ownMember,
  objectsIn,
  type JsonObject,
  type JsonValue,
} from "../../../core/json.ts";
import { isBlank } from "../../../kinds/descriptor-parts.ts";

import { isId } from "../convert-record.ts";
import { quotedName, type Remark, type Remarks } from "./code-file.ts";

/** An export of the web interface has tile names inside `config`, and a `version`. */
export function isExportedDashboard({ version, tiles }: JsonObject): boolean {
  if (!isJsonArray(tiles) || !tiles.every((tile) => isJsonObject(tile) && tile["name"] === undefined)) return false;
  return typeof version === "string" || objectsIn(tiles).some((tile) => configOf(tile)["name"] !== undefined);
}

function configOf({ config }: JsonObject): JsonObject {
  return isJsonObject(config) ? config : {};
}

const DASHBOARD = ["name", "tags", "savedQuery", "savedQueryLanguage", "savedFilterValues"];
const CONTAINER = ["id", "title", "collapsed", "collapsible", "bordered", "tabs"];
const OF_SERVER = ["_id", "id", "team", "createdAt", "updatedAt", "createdBy", "updatedBy", "provisioned", "__v"];
const TILE = ["x", "y", "w", "h", "containerId", "tabId"];

export function fromExportedDashboard(exported: JsonObject) {
  const remarks: Remarks = { leftOut: [], mistakes: [] };
  const { tiles, filters, containers } = exported;
  remarkOnOtherMembers(
    exported,
    ["version", "tiles", "filters", "containers", ...DASHBOARD, ...OF_SERVER],
    [],
    remarks,
  );
  const code: JsonObject = {
    ...pickMembers(exported, DASHBOARD),
    ...(isJsonArray(filters) && {
      filters: objectsIn(filters).map((filter, at) => filterOf(filter, ["filters", String(at)], remarks)),
    }),
    ...(isJsonArray(containers) && { containers: containers.map((container) => pickMembers(container, CONTAINER)) }),
    tiles: objectsIn(tiles).map((tile, at) => tileOf(tile, ["tiles", String(at)], remarks)),
  };
  return { code, ...remarks } as const;
}

function filterOf(filter: JsonObject, place: readonly string[], remarks: Remarks): JsonObject {
  if (filter["source"] === "") remarks.mistakes.push(emptyNameRemark("source", place));
  const members = Object.keys(filter).filter((member) => member !== "id");
  return { ...pickMembers(filter, members), ...sourceMember(filter) };
}

function tileOf(tile: JsonObject, place: readonly string[], { leftOut, mistakes }: Remarks): JsonObject {
  const ofTile: Remarks = { leftOut, mistakes: [] };
  remarkOnOtherMembers(tile, ["id", "config", ...TILE], place, ofTile);
  const config = configOf(tile);
  const name = config["name"] ?? "";
  const converted = { name, ...pickMembers(tile, TILE), config: tileConfig(config, [...place, "config"], ofTile) };
  const called = typeof name === "string" && name !== "" ? quotedName(name) : Number(place.at(-1)) + 1;
  for (const { tokens, message } of ofTile.mistakes) mistakes.push({ tokens, message: `tile ${called}: ${message}` });
  return converted;
}

/** Members by display type, for all tiles but raw SQL tiles. */
const BUILT: Readonly<Record<string, readonly string[]>> = {
  line: [
    "groupBy",
    "seriesLimit",
    "numberFormat",
    "alignDateRangeToGranularity",
    "fitYAxisToData",
    "compareToPreviousPeriod",
  ],
  stacked_bar: ["groupBy", "seriesLimit", "numberFormat", "alignDateRangeToGranularity"],
  table: ["groupBy", "having", "orderBy", "numberFormat", "groupByColumnsOnLeft", "onClick"],
  number: ["numberFormat", "color", "colorRules", "backgroundChart"],
  pie: ["groupBy", "orderBy", "numberFormat", "limit"],
  bar: ["groupBy", "orderBy", "numberFormat", "limit"],
  heatmap: ["where", "whereLanguage", "numberFormat"],
  search: ["where", "whereLanguage"],
  event_patterns: ["where", "whereLanguage"],
  markdown: ["markdown"],
};
const SQL: Readonly<Record<string, readonly string[]>> = {
  line: ["numberFormat", "alignDateRangeToGranularity", "fitYAxisToData", "compareToPreviousPeriod"],
  stacked_bar: ["numberFormat", "alignDateRangeToGranularity"],
  table: ["numberFormat", "onClick"],
  number: ["numberFormat", "color"],
  pie: ["numberFormat"],
  bar: ["numberFormat"],
};

/** Texts in the API; an export can have lists or objects. */
const TEXTS = new Set(["groupBy", "orderBy", "having", "where"]);

/** Without these members, a tile would show other data. */
const DECIDING = new Set(["where", "groupBy", "having", "filters", "with", "metricNameSql"]);

const AGGREGATES: readonly JsonValue[] = [
  "avg",
  "count",
  "count_distinct",
  "last_value",
  "max",
  "min",
  "quantile",
  "sum",
  "any",
  "none",
];
const LEVELS: readonly JsonValue[] = [0.5, 0.9, 0.95, 0.99];
const SERIES = ["alias", "valueExpression", "level", "metricType", "metricName", "numberFormat"];
const HEATMAP = ["valueExpression", "countExpression", "heatmapScaleType"];

const MARKDOWN = "markdown";

const HANDLED = ["name", "source", "connection", "displayType", "configType", "sqlTemplate", "select"];

const IMPLIED = ["whereLanguage", "seriesReturnType", "fillNulls"];

function tileConfig(config: JsonObject, place: readonly string[], remarks: Remarks): JsonObject {
  const { displayType, configType } = config;
  const isSql = configType === "sql";
  const types = isSql ? SQL : BUILT;
  const members = typeof displayType === "string" ? ownMember(types, displayType) : undefined;
  if (typeof displayType !== "string" || members === undefined) {
    remarks.mistakes.push(unknownTypeRemark(displayType, types, place));
    return {};
  }
  const reference = isSql ? "connection" : "source";
  if (displayType !== MARKDOWN && isBlank(config[reference])) remarks.mistakes.push(emptyNameRemark(reference, place));
  remarkOnOtherMembers(config, [...HANDLED, ...IMPLIED, ...members], place, remarks);
  return {
    displayType,
    ...(isSql ? sqlMembers(config, displayType) : builtMembers(config, displayType, place, remarks)),
    ...typeMembers(config, members, place, remarks),
  };
}

function sqlMembers(config: JsonObject, displayType: string): JsonObject {
  const { configType, connection, sqlTemplate } = config;
  return {
    configType,
    connection: nameOrId(connection),
    sqlTemplate,
    ...sourceMember(config),
    ...gapMember(config, displayType),
  };
}

function builtMembers(config: JsonObject, displayType: string, place: readonly string[], remarks: Remarks): JsonObject {
  if (displayType === MARKDOWN) return {};
  const hasRatio = isOverTime(displayType) || displayType === "table";
  return {
    ...sourceMember(config),
    select: selectOf(config, displayType, [...place, "select"], remarks),
    ...gapMember(config, displayType),
    ...(hasRatio && config["seriesReturnType"] === "ratio" && { asRatio: true }),
  };
}

function sourceMember({ source }: JsonObject): JsonObject {
  return isBlank(source) ? {} : { source: nameOrId(source) };
}

function nameOrId(reference: JsonValue | undefined): JsonValue | undefined {
  return isId(reference) ? { id: reference } : reference;
}

/** Only charts over time can leave gaps unfilled. */
function gapMember({ fillNulls }: JsonObject, displayType: string): JsonObject {
  return isOverTime(displayType) && fillNulls === false ? { fillNulls } : {};
}

function isOverTime(displayType: string): boolean {
  return displayType === "line" || displayType === "stacked_bar";
}

function unknownTypeRemark(
  displayType: JsonValue | undefined,
  types: Readonly<Record<string, readonly string[]>>,
  place: readonly string[],
): Remark {
  const label =
    displayType === undefined ? "a tile without a displayType" : `the displayType ${JSON.stringify(displayType)}`;
  const message = `the API has no such tile: ${label}; it has ${Object.keys(types).join(", ")}`;
  return { tokens: [...place, "displayType"], message };
}

function typeMembers(
  config: JsonObject,
  members: readonly string[],
  place: readonly string[],
  remarks: Remarks,
): JsonObject {
  const entries = members.flatMap((member): [string, JsonValue][] => {
    const value = config[member];
    if (value === undefined || (isBlank(value) && member !== "markdown") || isImplied(member, value)) return [];
    const isForeign =
      (TEXTS.has(member) && typeof value !== "string") ||
      (member === "limit" && typeof value !== "number") ||
      (member === "onClick" && isBlank(targetOf(value)));
    return isForeign
      ? remarkOnMember(member, place, remarks)
      : [[member, member === "onClick" ? linkOf(value) : value]];
  });
  return Object.fromEntries(entries);
}

function linkOf(onClick: JsonValue): JsonValue {
  const target = isJsonObject(onClick) ? onClick["target"] : undefined;
  if (!isJsonObject(onClick) || !isJsonObject(target) || target["id"] === undefined) return onClick;
  return { ...onClick, target: { ...target, id: nameOrId(target["id"]) } };
}

/** Blank if the linked record did not exist at the time of the export. */
function targetOf(onClick: JsonValue): JsonValue | undefined {
  if (!isJsonObject(onClick)) return undefined;
  const { target, urlTemplate } = onClick;
  return isJsonObject(target) ? (target["id"] ?? target["template"]) : urlTemplate;
}

function selectOf(
  config: JsonObject,
  displayType: string,
  place: readonly string[],
  remarks: Remarks,
): JsonValue | undefined {
  const { select } = config;
  if (displayType === "search" || displayType === "event_patterns") return typeof select === "string" ? select : "";
  if (!isJsonArray(select) || select.length === 0 || !select.every(isJsonObject)) {
    const message = `the API takes a list of series here, each with an aggFn`;
    remarks.mistakes.push({ tokens: place, message });
    return [];
  }
  return select.map((item, at) =>
    displayType === "heatmap" ? pickMembers(item, HEATMAP) : seriesOf(item, [...place, String(at)], remarks),
  );
}

function seriesOf(item: JsonObject, place: readonly string[], remarks: Remarks): JsonObject {
  const { aggFn = "none", aggCondition, aggConditionLanguage, isDelta, level, metricName, valueExpression } = item;
  remarkOnOtherMembers(item, ["aggFn", "aggCondition", "aggConditionLanguage", "isDelta", ...SERIES], place, remarks);
  const refuse = (member: string, value: JsonValue, known: readonly JsonValue[]): void => {
    const message = `the API has no ${member} ${JSON.stringify(value)}: write one of ${known.map(String).join(", ")}`;
    remarks.mistakes.push({ tokens: [...place, member], message });
  };
  if (!AGGREGATES.includes(aggFn)) refuse("aggFn", aggFn, AGGREGATES);
  if (aggFn === "quantile" && level !== undefined && !LEVELS.includes(level)) refuse("level", level, LEVELS);
  // The web interface does not store a metric's column, so the code writes `Value`, as the server does.
  const isOfMetric = !isBlank(metricName) && isBlank(valueExpression) && aggFn !== "count";
  return {
    aggFn,
    ...pickMembers(item, SERIES),
    ...(isOfMetric && { valueExpression: "Value" }),
    ...(!isBlank(aggCondition) && { where: aggCondition }),
    ...(!isBlank(aggConditionLanguage) && { whereLanguage: aggConditionLanguage }),
    ...(isDelta === true && { periodAggFn: "delta" }),
  };
}

function remarkOnOtherMembers(
  object: JsonObject,
  members: readonly string[],
  place: readonly string[],
  remarks: Remarks,
): void {
  for (const [member, value] of Object.entries(object)) {
    const saysNothing = isBlank(value) || value === false || (value !== undefined && isImplied(member, value));
    if (!members.includes(member) && !saysNothing) remarkOnMember(member, place, remarks);
  }
}

function remarkOnMember(member: string, place: readonly string[], { leftOut, mistakes }: Remarks): [] {
  const tokens = [...place, member];
  if (!DECIDING.has(member)) leftOut.push({ tokens, message: member });
  else mistakes.push({ tokens, message: `the API has no such ${member} for this tile: ${alternativeTo(member)}` });
  return [];
}

function alternativeTo(member: string): string {
  if (member === "where") return "write the condition into the aggCondition of each series";
  return member === "groupBy" || member === "having" ? "write it as one text, or leave it out" : "leave it out";
}

function isImplied(member: string, value: JsonValue): boolean {
  return member === "granularity" ? value === "auto" : member === "alignDateRangeToGranularity" && value === true;
}

function pickMembers(value: JsonValue, members: readonly string[]): JsonObject {
  if (!isJsonObject(value)) return {};
  return Object.fromEntries(
    members.flatMap((member) => (Object.hasOwn(value, member) ? [[member, value[member]]] : [])),
  );
}

/** The web interface exports an empty name for a record that no longer exists. */
function emptyNameRemark(member: string, place: readonly string[]): Remark {
  return { tokens: [...place, member], message: `${member} is empty: write the name of a ${member}` };
}
