import { Refusal } from "../http/envelope.ts";
import { checkId, recordRoutes, type Route, type Stack } from "./route.ts";
import { parseOrListMistakes, listUnknownMembers } from "../schema.ts";
import {
  definedMembers,
  isObject,
  idsIn,
  omitMembers,
  type SandboxRecord,
  type Store,
  type JsonObject,
  type IdGenerator,
} from "../store.ts";
import { checkDashboardReferences } from "./dashboard-references.ts";
import { dashboardSchemas, type Container, type Dashboard, type Tile } from "./dashboard-schema.ts";
import { seriesToConfig } from "./tile-series.ts";
import { configInResponse } from "./tile-view.ts";
import { TILES_KEEPING_ALERTS } from "./tiles.ts";

const MAX_DOCUMENT_BYTES = 16 * 1024 * 1024;

/** See docs/api.md#dashboards. */
export const dashboardRoutes: readonly Route[] = [
  ...recordRoutes("dashboards", {
    schema: (stack) => dashboardSchemas(stack.variant).created,
    updateSchema: (stack) => dashboardSchemas(stack.variant).kept,
    record: checkedDashboard,
    remove,
    visible,
    list: ({ store }) => ({ is: "list", records: byName(store).map(visible) }),
  }),
  {
    method: "POST",
    path: "dashboards/validate",
    writes: false,
    handle: (stack, { body }) => ({ is: "bare", body: verdictOn(stack, body) }),
  },
];

/** The server lists dashboards by name, descending, compared by bytes. */
function byName({ dashboards }: Store): readonly SandboxRecord[] {
  const entries = [...dashboards.values()].map((record) => ({ record, name: Buffer.from(String(record["name"])) }));
  return entries.sort((left, right) => Buffer.compare(right.name, left.name)).map(({ record }) => record);
}

/**
 * An update wipes members that the API never returns, and deletes alerts on removed tiles and on tiles that keep no alerts
 * (docs/api.md#tile-alerts).
 */
function checkedDashboard(body: Dashboard, stack: Stack, stored = emptyDashboard(stack.ids.id())): SandboxRecord {
  const containers = Array.isArray(stored["containers"]) ? stored["containers"].filter(isContainer) : [];
  checkDashboardReferences({ containers, ...body }, stack, tilesOf(stored));
  const dashboard = dashboardRecord(body, stack.ids, stored);
  // A document over 16 MB is refused with 500, not 413.
  if (Buffer.byteLength(JSON.stringify(dashboard)) > MAX_DOCUMENT_BYTES) {
    throw new Refusal(500, "Something went wrong :(");
  }
  const alertedTiles = tilesOf(dashboard).filter(keepsAlerts);
  deleteTileAlerts(stack.store, dashboard.id, new Set(alertedTiles.map(({ id }) => id)));
  return dashboard;
}

function isContainer(value: unknown): value is Container {
  return isObject(value) && typeof value["id"] === "string";
}

export function tilesOf({ tiles }: SandboxRecord) {
  return Array.isArray(tiles) ? tiles.filter(isObject) : [];
}

/** Self-hosted stacks create alerts on other types of tile, but the next update of the dashboard deletes them. */
function keepsAlerts({ config }: ReturnType<typeof tilesOf>[number]): boolean {
  return isObject(config) && TILES_KEEPING_ALERTS.has(config["displayType"]);
}

/** Succeeds even if the dashboard does not exist. */
function remove(stack: Stack, id: string): void {
  checkId(stack, id);
  stack.store.dashboards.delete(id);
  deleteTileAlerts(stack.store, id, new Set());
}

function verdictOn(stack: Stack, body: unknown) {
  const invalid = (errors: readonly object[]) => ({ valid: false, errors, normalized: null });
  const parsed = parseOrListMistakes(dashboardSchemas(stack.variant).created, body);
  if (!parsed.ok) return invalid(parsed.mistakes);
  const unknownFaults = stack.strict ? listUnknownMembers(body, parsed.value) : [];
  if (unknownFaults.length > 0) return invalid(unknownFaults);
  try {
    checkDashboardReferences(parsed.value, stack);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return invalid([{ path: "", message: error.message }]);
  }
  return { valid: true, errors: [], normalized: parsed.value };
}

function deleteTileAlerts(store: Store, dashboardId: string, remainingTileIds: ReadonlySet<unknown>): void {
  for (const alert of store.alerts.values()) {
    const isGone = alert["dashboardId"] === dashboardId && !remainingTileIds.has(alert["tileId"]);
    if (isGone) store.alerts.delete(alert.id);
  }
}

/** The server stores these values if a create omits the members. */
export function emptyDashboard(id: string): SandboxRecord {
  const savedQuery = { savedQuery: null, savedQueryLanguage: null };
  return { id, tiles: [], tags: [], filters: [], ...savedQuery, savedFilterValues: [] };
}

/** A tile or filter gets a new id if the stored dashboard lacks its id. Omitted members keep their values. */
export function dashboardRecord(body: Dashboard, ids: IdGenerator, stored: SandboxRecord): SandboxRecord {
  const tileIds = idsIn(stored["tiles"]);
  const filterIds = idsIn(stored["filters"]);
  const filters = body.filters?.map(({ sourceId, ...filter }) => {
    const { id = "", isBroadcastEnabled } = filter;
    // Without a broadcast, `appliesToSourceIds` can only be empty, and is not stored (recording 2112).
    const members = isBroadcastEnabled === false ? omitMembers(filter, ["appliesToSourceIds"]) : filter;
    return { ...members, id: filterIds.has(String(id)) ? id : ids.id(), sourceId };
  });
  return {
    id: stored.id,
    name: body.name,
    tiles: body.tiles.map((tile) => storedTile(tile, tileIds.has(tile.id ?? "") ? tile.id : ids.id())),
    tags: body.tags === undefined ? stored["tags"] : [...new Set(body.tags)],
    filters: filters ?? stored["filters"],
    ...queryOf(body, stored),
    // SQL is the only type of filter values.
    savedFilterValues:
      body.savedFilterValues?.map((value) => ({ type: "sql", ...value })) ?? stored["savedFilterValues"],
    ...storedContainers(body.containers ?? stored["containers"]),
  };
}

/** Responses hide some tiles and members (docs/api.md#hidden-tiles). */
function visible(dashboard: SandboxRecord): SandboxRecord {
  const { tiles, filters } = dashboard;
  if (!Array.isArray(tiles) || !Array.isArray(filters)) return dashboard;
  const containers = idsIn(dashboard["containers"]);
  return {
    ...dashboard,
    tiles: tiles.flatMap((tile: unknown) => shownTile(tile, containers)),
    filters: filters.map(shownFilter),
  };
}

function shownFilter(filter: unknown): unknown {
  if (!isObject(filter)) return filter;
  return omitMembers(filter, [
    ...(filter["isVariableEnabled"] === true ? [] : ["variableName"]),
    ...(filter["isBroadcastEnabled"] === false ? ["appliesToSourceIds"] : []),
  ]);
}

function shownTile(tile: unknown, containers: ReadonlySet<string>): readonly unknown[] {
  if (!isObject(tile) || !isObject(tile["config"])) return [tile];
  const config = configInResponse(tile["config"]);
  if (config === undefined) return [];
  const { containerId, tabId, ...tileMembers } = tile;
  if (typeof containerId !== "string" || !containers.has(containerId)) return [{ ...tileMembers, config }];
  return [{ ...tileMembers, config, containerId, ...(tabId === undefined ? {} : { tabId }) }];
}

/** The server stores even members that responses omit. */
function storedTile(tile: Tile, id: string | undefined): JsonObject {
  const { x, y, w, h, name, containerId, tabId } = tile;
  const config = definedMembers(tile.config ?? seriesToConfig(tile.series ?? [], tile.asRatio));
  return { id, x, y, w, h, name, config, ...definedMembers({ containerId, tabId }) };
}

/** A non-empty query sent alone becomes `lucene`; `null` sent alone clears query and language (docs/api.md#saved-queries). */
function queryOf({ savedQuery, savedQueryLanguage }: Dashboard, stored: SandboxRecord): JsonObject {
  const query = savedQuery === undefined ? stored["savedQuery"] : savedQuery;
  if (savedQueryLanguage !== undefined) return { savedQuery: query, savedQueryLanguage };
  if (savedQuery === null) return { savedQuery: null, savedQueryLanguage: null };
  return { savedQuery: query, savedQueryLanguage: savedQuery ? "lucene" : stored["savedQueryLanguage"] };
}

function storedContainers(containers: unknown): JsonObject {
  return Array.isArray(containers) && containers.length > 0 ? { containers } : {};
}
