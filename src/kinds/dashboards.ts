import { z } from "zod";
import { splitWords } from "../core/collections.ts";
import { compactJson, isJsonArray, isJsonObject, objectsIn, type JsonObject, type JsonValue } from "../core/json.ts";
import { withoutPath } from "../core/records/member-path.ts";
import type { ResourceKind, ApiRoute } from "../core/resource-kind.ts";
import {
  assumedLanguages,
  withOmittedMembers,
  TILES_ACCEPTING_ALERTS,
  refuseEmptyHeatmap,
  isTileWithoutAlerts,
  tileRefusal,
  isMadeElsewhere,
  isSubstituteTile,
  NEVER_SHOWN,
} from "./members/dashboard-variants.ts";
import {
  looseBody,
  nameKeyOf,
  optionalText,
  textOfMember,
  optionalTexts,
  withoutDefaults,
  collectionRoutes,
  plainKind,
} from "./descriptor-parts.ts";
import { dashboardFile } from "./members/code-file-shapes.ts";
import { characters, items, only, range } from "./limits.ts";

const routes = {
  ...collectionRoutes("dashboards"),
  validate: { method: "POST", path: "{stack}/dashboards/validate", optional: true },
} as const satisfies Record<string, ApiRoute>;

/** Contains no languages, because `withOmittedMembers` adds languages before a write. */
const SERVER_DEFAULTS = {
  "tiles[].config.asRatio": false,
  "tiles[].config.fillNulls": true,
  "tiles[].config.where": "",
  "tiles[].config.select[].valueExpression": "",
  "tiles[].config.select[].where": "",
  "savedFilterValues[].type": "sql",
} as const;

const COMPARED_AS_ABSENT = {
  asRatio: false,
  fillNulls: true,
  whereLanguage: "lucene",
  savedQueryLanguage: "lucene",
  valueExpression: "",
  where: "",
  markdown: "",
  select: "",
  type: "sql",
  isVariableEnabled: false,
} as const;

/** docs/api.md#dashboards */
export const dashboards: ResourceKind = {
  ...plainKind,
  name: "dashboards",
  singular: "dashboard",
  listing: "whole",
  routes: { managed: routes, "self-hosted": routes },
  schema: looseBody({
    name: optionalText,
    tiles: z.array(z.object({ id: z.string(), name: optionalText, config: z.object({}).nullish() })).nullish(),
    filters: z.array(z.object({ id: z.string() })).nullish(),
    tags: optionalTexts,
  }),
  naturalKeys: [nameKeyOf],
  references: [
    { path: "tiles[].config.sourceId", to: "sources", serverValidated: true },
    { path: "tiles[].config.connectionId", to: "connections", serverValidated: true },
    {
      path: "tiles[].config.onClick.target.id",
      to: "sources",
      serverValidated: true,
      when: { path: "tiles[].config.onClick.type", is: "search" },
    },
    {
      path: "tiles[].config.onClick.target.id",
      to: "dashboards",
      serverValidated: true,
      when: { path: "tiles[].config.onClick.type", is: "dashboard" },
      deferPath: "tiles[].config.onClick",
    },
    { path: "filters[].sourceId", to: "sources", serverValidated: true },
    // The server accepts any id here. A wrong id shows only as a filter without effect.
    { path: "filters[].appliesToSourceIds[]", to: "sources", serverValidated: false },
  ],
  children: [
    {
      member: "tiles",
      space: "dashboards/tiles",
      idOnUpdate: "minted",
      // Any update of the dashboard deletes the alerts on such tiles (docs/api.md#tile-alerts).
      losesDependents: isTileWithoutAlerts,
      fitInto: withoutMissingContainer,
      overlap: areOnTopOfEachOther,
      isSubstitute: { "self-hosted": isSubstituteTile },
      mayHideSettings: { "self-hosted": isMadeElsewhere },
      pointedTo: TILES_ACCEPTING_ALERTS,
      nameOf: (tile) => textOfMember(tile, "name"),
      identity: [
        (tile) => compactJson(comparableDashboard({ ...tile, id: null })),
        (tile) => `${textOfMember(tile, "name")}\n${displayType(tile)}\n${positionKey(tile)}`,
        (tile) => `${textOfMember(tile, "name")}\n${displayType(tile)}`,
        (tile) => compactJson(comparableDashboard({ config: tile["config"] ?? null })),
      ],
    },
    {
      member: "filters",
      space: "dashboards/filters",
      idOnUpdate: "required",
      nameOf: (filter) => textOfMember(filter, "name"),
      identity: [
        (filter) => compactJson(comparableFilter({ ...filter, id: null })),
        (filter) => `${textOfMember(filter, "name")}\n${textOfMember(filter, "expression")}`,
        (filter) => textOfMember(filter, "name"),
      ],
    },
  ],
  mergedAsOne: [["savedQuery", "savedQueryLanguage"]],
  importPolicy: { when: "always" },
  serverOwned: ["id", "createdAt", "updatedAt", "teamId"],
  // Answers show an empty value expression beside `count`; a write refuses it (docs/api.md#managed).
  leaveOutWhen: [{ path: "tiles[].config.select[].valueExpression", is: "" }],
  limits: [
    { path: "name", fit: characters(1024) },
    { path: "tags[]", fit: characters(32) },
    { path: "tags", fit: items(50) },
    { path: "tiles[].x", fit: range(0, 23) },
    { path: "tiles[].y", fit: range(0) },
    { path: "tiles[].w", fit: range(1, 24) },
    { path: "tiles[].h", fit: range(1) },
    { path: "tiles[].config.select[]", fit: withMetricValue },
    { path: "tiles[].config", fit: refuseEmptyHeatmap, fixed: true },
    { path: "tiles[].config.markdown", fit: characters(50_000) },
    { path: "savedFilterValues[]", fit: only(isSqlFilter, "filters of the type sql") },
    { path: "tiles", fit: items(500), fixed: true },
    { path: "containers", fit: items(50), fixed: true },
  ],
  notHeld: NEVER_SHOWN,
  listOmits: [
    { path: "containers", when: ({ tiles }) => objectsIn(tiles).some((tile) => tile["containerId"] !== undefined) },
  ],
  nameFields: { name: "name", tags: "tags" },
  texts: ["tiles[].config.markdown", "tiles[].config.onClick.urlTemplate"],
  linksByName: [
    {
      path: "tiles[].config.onClick.target.template",
      to: "dashboards",
      when: { path: "tiles[].config.onClick.type", is: "dashboard" },
    },
  ],
  clearOnUpdate: {
    tags: [],
    filters: [],
    containers: [],
    // Also clears the language. A language of null beside a query is refused.
    savedQuery: null,
    savedFilterValues: [],
  },
  normalize: withOmittedMembers,
  assumed: assumedLanguages,
  refusedForReferences: { "self-hosted": tileRefusal },
  code: {
    shape: dashboardFile,
    toldBy: [
      ["name", "tiles"],
      ["name", "charts"],
    ],
    order: splitWords(`
      name tags type title id x y w h collapsed containerId tabId substitute config displayType configType mode source
      connection dashboard template aggFn expression valueExpression alias select where whereLanguage groupBy
      having orderBy limit seriesLimit sqlTemplate markdown savedQuery savedQueryLanguage savedFilterValues
      filters containers tiles
    `),
    defaults: SERVER_DEFAULTS,
    sorted: { member: "tiles", by: ["y", "x"] },
    required: ["tiles"],
    complete: withTileNames,
  },
  comparable: (body) => comparableDashboard(withoutPath(withoutPath(body, "tiles[].id"), "filters[].id")),
};

/** A write requires names of tiles, and people leave them out. */
function withTileNames({ tiles = null, ...body }: JsonObject): JsonObject {
  if (!isJsonArray(tiles)) return { tiles, ...body };
  return { ...body, tiles: tiles.map((tile) => (isJsonObject(tile) ? { name: "", ...tile } : tile)) };
}

function comparableDashboard({ filters = null, ...body }: JsonObject): JsonObject {
  const { tags } = body;
  // The server drops a repeated tag and keeps the first.
  const distinct = isJsonArray(tags) ? { ...body, tags: [...new Set(tags)] } : body;
  const compared = withoutDefaults(distinct, COMPARED_AS_ABSENT);
  if (!isJsonArray(filters) || filters.length === 0) return compared;
  return { ...compared, filters: filters.map((filter) => (isJsonObject(filter) ? comparableFilter(filter) : filter)) };
}

/** In a filter, an absent language means `sql`. */
function comparableFilter(filter: JsonObject): JsonObject {
  return withoutDefaults(filter, { ...COMPARED_AS_ABSENT, whereLanguage: "sql" });
}

/** The web interface stores other filters, which a create refuses. */
function isSqlFilter(filter: JsonValue): boolean {
  return isJsonObject(filter) && (filter["type"] ?? "sql") === "sql" && typeof filter["condition"] === "string";
}

/** The server refuses a tile whose container or tab does not exist (docs/api.md#containers). */
function withoutMissingContainer(tile: JsonObject, { containers }: JsonObject): JsonObject {
  const { containerId, tabId, ...rest } = tile;
  if (containerId === undefined) return tile;
  const container = objectsIn(containers).find(({ id }) => id === containerId);
  if (container === undefined) return rest;
  const hasTab = objectsIn(container["tabs"]).some(({ id }) => id === tabId);
  return tabId === undefined || hasTab ? tile : { ...rest, containerId };
}

function displayType(tile: JsonObject): string {
  const config = tile["config"];
  return isJsonObject(config) ? `${textOfMember(config, "configType")}/${textOfMember(config, "displayType")}` : "";
}

function positionKey(tile: JsonObject): string {
  return compactJson([tile["x"] ?? null, tile["y"] ?? null, tile["w"] ?? null, tile["h"] ?? null]);
}

function areOnTopOfEachOther(one: JsonObject, other: JsonObject): boolean {
  if (one["containerId"] !== other["containerId"] || one["tabId"] !== other["tabId"]) return false;
  return shareSpan(one, other, "x", "w") && shareSpan(one, other, "y", "h");
}

function shareSpan(one: JsonObject, other: JsonObject, start: "x" | "y", size: "w" | "h"): boolean {
  const isBefore = (left: JsonObject, right: JsonObject): boolean =>
    Number(left[start]) + Number(left[size]) <= Number(right[start]);
  return !isBefore(one, other) && !isBefore(other, one);
}

/** The server itself writes this column for tiles with `series`. */
const METRIC_VALUE = "Value";

/** The web interface stores metrics without a column; a write refuses them (docs/api.md#dashboard-members). */
function withMetricValue(item: JsonValue): { readonly value: JsonValue; readonly change: string } | undefined {
  if (!isJsonObject(item) || textOfMember(item, "metricName") === "") return undefined;
  const { aggFn, valueExpression = "" } = item;
  if (aggFn === undefined || aggFn === "count" || valueExpression !== "") return undefined;
  return { value: { ...item, valueExpression: METRIC_VALUE }, change: `the column ${METRIC_VALUE} instead of none` };
}
