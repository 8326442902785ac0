import { Refusal } from "../errors.ts";
import type { Call, Route, Stack } from "./route.ts";
import { bodyOf, checkId, existing, recordRoutes } from "./route.ts";
import { inspect, unknownMembers } from "../schema.ts";
import type { SandboxRecord, Store, JsonObject, IdGenerator } from "../store/store.ts";
import { isObject, idsIn } from "../store/store.ts";
import { checkDashboardReferences } from "./dashboard-references.ts";
import type { Container, Dashboard, Tile } from "./dashboard-schema.ts";
import { dashboardSchemas, createdFilter } from "./dashboard-schema.ts";
import { configOf } from "./tile-series.ts";
import { shownConfig } from "./tile-view.ts";
import { ALERTED } from "./tiles.ts";

const MAX_DOCUMENT_BYTES = 16 * 1024 * 1024;

/** Returns the routes of dashboards: create, list, get, update, delete and validate, on both variants (docs/api.md#dashboards). */
export function dashboardRoutes(stack: Stack): readonly Route[] {
  const validate = (call: Call) => ({ is: "bare", body: verdictOn(stack, call.body) }) as const;
  return [
    ...recordRoutes(stack, "dashboards", {
      list: () => ({ is: "list", records: byName(stack.store).map(shownDashboard) }),
      create: (call) => create(stack, call),
      update: (call) => update(stack, call),
      remove: (call) => remove(stack, call),
      shown: (dashboard) => ({ is: "record", record: shownDashboard(dashboard) }),
    }),
    { method: "POST", path: "dashboards/validate", writes: false, handle: validate },
  ];
}

/** Returns the dashboards in the order of the list: by name, descending, compared by bytes (docs/api.md#lists). */
function byName({ dashboards }: Store): readonly SandboxRecord[] {
  const entries = [...dashboards.values()].map((record) => ({ record, name: Buffer.from(String(record["name"])) }));
  return entries.sort((left, right) => Buffer.compare(right.name, left.name)).map(({ record }) => record);
}

function create(stack: Stack, call: Call): SandboxRecord {
  const body = bodyOf(stack, dashboardSchemas(stack.variant, stack.release).created, call);
  checkDashboardReferences(body, stack);
  return keep(stack.store, createdDashboard(body, stack.ids));
}

/**
 * Updates a dashboard. Members that the API never returns are overwritten or deleted, and an alert is deleted with its tile
 * (docs/api.md#tile-alerts).
 */
function update(stack: Stack, call: Call): SandboxRecord {
  const { id } = call;
  const { store, ids } = stack;
  checkId(stack, id);
  const body = bodyOf(stack, dashboardSchemas(stack.variant, stack.release).kept, call);
  const storedDashboard = existing(stack, "dashboards", id);
  const containers = Array.isArray(storedDashboard["containers"])
    ? storedDashboard["containers"].filter(isContainer)
    : [];
  checkDashboardReferences({ containers, ...body }, stack, tilesOf(storedDashboard));
  const dashboard = keep(store, updatedDashboard(storedDashboard, body, ids));
  deleteTileAlerts(
    store,
    id,
    new Set(
      tilesOf(dashboard)
        .filter(keepsAlerts)
        .map((tile) => tile["id"]),
    ),
  );
  return dashboard;
}

function isContainer(value: unknown): value is Container {
  return isObject(value) && typeof value["id"] === "string";
}

function tilesOf({ tiles }: SandboxRecord) {
  return Array.isArray(tiles) ? tiles.filter(isObject) : [];
}

/**
 * Tells whether alerts on the tile survive an update of the dashboard. On a tile of another type, an alert can be created, but the
 * next update deletes it.
 */
function keepsAlerts({ config }: ReturnType<typeof tilesOf>[number]): boolean {
  return isObject(config) && ALERTED.has(config["displayType"]);
}

/** Deletes a dashboard; succeeds if it does not exist. */
function remove(stack: Stack, { id }: Call): void {
  checkId(stack, id);
  stack.store.dashboards.delete(id);
  deleteTileAlerts(stack.store, id, new Set());
}

/**
 * Returns whether a create of this body would succeed, and with which faults. References are only checked if the body matches the
 * schema.
 */
function verdictOn(stack: Stack, body: unknown) {
  const invalid = (errors: readonly object[]) => ({ valid: false, errors, normalized: null });
  const parsed = inspect(dashboardSchemas(stack.variant, stack.release).created, body);
  if (!parsed.ok) return invalid(parsed.faults);
  const unknownFaults = stack.strict ? unknownMembers(body, parsed.value) : [];
  if (unknownFaults.length > 0) return invalid(unknownFaults);
  try {
    checkDashboardReferences(parsed.value, stack);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return invalid([{ path: "", message: error.message }]);
  }
  return { valid: true, errors: [], normalized: parsed.value };
}

function keep(store: Store, dashboard: SandboxRecord): SandboxRecord {
  // A document over 16 MB is refused with 500, not 413.
  if (Buffer.byteLength(JSON.stringify(dashboard)) > MAX_DOCUMENT_BYTES) {
    throw new Refusal(500, "Something went wrong :(");
  }
  store.dashboards.set(dashboard.id, dashboard);
  return dashboard;
}

function deleteTileAlerts(store: Store, dashboardId: string, remainingTileIds: ReadonlySet<unknown>): void {
  for (const alert of store.alerts.values()) {
    const isGone = alert["dashboardId"] === dashboardId && !remainingTileIds.has(alert["tileId"]);
    if (isGone) store.alerts.delete(alert.id);
  }
}

/**
 * Returns the record of a new dashboard. The ids of its tiles and filters are always new, whatever the body contains; so is its own
 * id unless `id` is given.
 */
export function createdDashboard(body: Dashboard, ids: IdGenerator, id?: string): SandboxRecord {
  return {
    id: id ?? ids.id(),
    name: body.name,
    tiles: body.tiles.map((tile) => storedTile(tile, ids.id())),
    tags: [...new Set(body.tags)],
    filters: (body.filters ?? []).map((filter) => createdFilter.parse({ ...filter, id: ids.id() })),
    ...createdQuery(body),
    savedFilterValues: storedFilterValues(body.savedFilterValues ?? []),
    ...storedContainers(body.containers),
  };
}

/**
 * Returns the record of a dashboard after an update. Tiles and filters keep an id that the stored dashboard has, and omitted
 * members keep their values.
 */
function updatedDashboard(storedDashboard: SandboxRecord, body: Dashboard, ids: IdGenerator): SandboxRecord {
  const tileIds = idsIn(storedDashboard["tiles"]);
  const filterIds = idsIn(storedDashboard["filters"]);
  const filters = body.filters?.map((filter) =>
    filterIds.has(String(filter["id"])) ? filter : { ...filter, id: ids.id() },
  );
  return {
    id: storedDashboard.id,
    name: body.name,
    tiles: body.tiles.map((tile) => storedTile(tile, tileIds.has(tile.id ?? "") ? tile.id : ids.id())),
    tags: body.tags === undefined ? storedDashboard["tags"] : [...new Set(body.tags)],
    filters: filters ?? storedDashboard["filters"],
    ...updatedQuery(body, storedDashboard),
    savedFilterValues: body.savedFilterValues
      ? storedFilterValues(body.savedFilterValues)
      : storedDashboard["savedFilterValues"],
    ...storedContainers(body.containers ?? storedDashboard["containers"]),
  };
}

/**
 * Returns a stored dashboard as responses show it: without tiles in the metric query language, and without references of tiles to
 * containers that do not exist (docs/api.md#hidden-tiles).
 */
function shownDashboard(dashboard: SandboxRecord): SandboxRecord {
  const { tiles } = dashboard;
  if (!Array.isArray(tiles)) return dashboard;
  const containers = idsIn(dashboard["containers"]);
  return { ...dashboard, tiles: tiles.flatMap((tile: unknown) => shownTile(tile, containers)) };
}

function shownTile(tile: unknown, containers: ReadonlySet<string>): readonly unknown[] {
  if (!isObject(tile) || !isObject(tile["config"])) return [tile];
  const config = shownConfig(tile["config"]);
  if (config === undefined) return [];
  const { containerId, tabId, ...tileMembers } = tile;
  if (typeof containerId !== "string" || !containers.has(containerId)) return [{ ...tileMembers, config }];
  return [{ ...tileMembers, config, containerId, ...(tabId === undefined ? {} : { tabId }) }];
}

/** Returns a tile as it is stored: as the client sent it. Only responses add and omit members. */
function storedTile(tile: Tile, id: string | undefined): JsonObject {
  const { x, y, w, h, name, containerId, tabId } = tile;
  const config = sentMembers(tile.config ?? configOf(tile.series ?? [], tile.asRatio));
  return { id, x, y, w, h, name, config, ...sentMembers({ containerId, tabId }) };
}

function sentMembers(value: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([, content]) => content !== undefined));
}

/**
 * Returns the query members of a new dashboard. A query that is not empty always has a language; a language can also be stored
 * without a query (docs/api.md#saved-queries).
 */
function createdQuery({ savedQuery = null, savedQueryLanguage }: Dashboard): JsonObject {
  return { savedQuery, savedQueryLanguage: savedQueryLanguage ?? (savedQuery ? "lucene" : null) };
}

function updatedQuery({ savedQuery, savedQueryLanguage }: Dashboard, storedDashboard: SandboxRecord): JsonObject {
  const query = savedQuery === undefined ? storedDashboard["savedQuery"] : savedQuery;
  if (savedQueryLanguage !== undefined) return { savedQuery: query, savedQueryLanguage };
  const storedLanguage = storedDashboard["savedQueryLanguage"];
  if (savedQuery === null) return { savedQuery: null, savedQueryLanguage: null };
  return { savedQuery: query, savedQueryLanguage: savedQuery ? "lucene" : storedLanguage };
}

/** Adds the type to filter values that omit it. SQL is the only type. */
function storedFilterValues(values: readonly object[]): readonly object[] {
  return values.map((value) => ({ type: "sql", ...value }));
}

/** Returns the member `containers` as it is stored: an empty list is stored as an absent member. */
function storedContainers(containers: unknown): JsonObject {
  return Array.isArray(containers) && containers.length > 0 ? { containers } : {};
}
