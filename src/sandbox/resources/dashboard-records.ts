import type { IdGenerator } from "../store/ids.ts";
import type { JsonObject, SandboxRecord } from "../store/record.ts";
import { idsIn, isObject } from "../store/record.ts";
import { createdFilter } from "./dashboard-filters.ts";
import type { Dashboard, Tile } from "./dashboard-schema.ts";
import { configOf } from "./series.ts";
import { shownConfig } from "./tile-view.ts";

/** The stored record of a new dashboard. Its id and those of its tiles and filters are always new, whatever the body contains. */
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

/** The stored record after an update: tiles and filters keep an id that exists, and omitted members keep their value. */
export function updatedDashboard(current: SandboxRecord, body: Dashboard, ids: IdGenerator): SandboxRecord {
  const tileIds = idsIn(current["tiles"]);
  const filterIds = idsIn(current["filters"]);
  const filters = body.filters?.map((filter) =>
    filterIds.has(String(filter["id"])) ? filter : { ...filter, id: ids.id() },
  );
  return {
    id: current.id,
    name: body.name,
    tiles: body.tiles.map((tile) => storedTile(tile, tileIds.has(tile.id ?? "") ? tile.id : ids.id())),
    tags: body.tags === undefined ? current["tags"] : [...new Set(body.tags)],
    filters: filters ?? current["filters"],
    ...updatedQuery(body, current),
    savedFilterValues: body.savedFilterValues
      ? storedFilterValues(body.savedFilterValues)
      : current["savedFilterValues"],
    ...storedContainers(body.containers ?? current["containers"]),
  };
}

/**
 * A stored dashboard as returned. Omits tiles in the metric query language, and the placement of a tile in a container that does
 * not exist (docs/api.md#hidden-tiles).
 */
export function shownDashboard(stored: SandboxRecord): SandboxRecord {
  const { tiles } = stored;
  if (!Array.isArray(tiles)) return stored;
  const containers = idsIn(stored["containers"]);
  return { ...stored, tiles: tiles.flatMap((tile: unknown) => shownTile(tile, containers)) };
}

function shownTile(tile: unknown, containers: ReadonlySet<string>): readonly unknown[] {
  if (!isObject(tile) || !isObject(tile["config"])) return [tile];
  const config = shownConfig(tile["config"]);
  if (config === undefined) return [];
  const { containerId, tabId, ...rest } = tile;
  if (typeof containerId !== "string" || !containers.has(containerId)) return [{ ...rest, config }];
  return [{ ...rest, config, containerId, ...(tabId === undefined ? {} : { tabId }) }];
}

/** The stored tile: as sent, without the additions and omissions of responses. */
function storedTile(tile: Tile, id: string | undefined): JsonObject {
  const { x, y, w, h, name, containerId, tabId } = tile;
  const config = sentMembers(tile.config ?? configOf(tile.series ?? [], tile.asRatio));
  return { id, x, y, w, h, name, config, ...sentMembers({ containerId, tabId }) };
}

function sentMembers(value: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([, content]) => content !== undefined));
}

/** A query that is not empty has a language; a language may stand alone (docs/api.md#saved-queries). */
function createdQuery({ savedQuery = null, savedQueryLanguage }: Dashboard): JsonObject {
  return { savedQuery, savedQueryLanguage: savedQueryLanguage ?? (savedQuery ? "lucene" : null) };
}

function updatedQuery({ savedQuery, savedQueryLanguage }: Dashboard, current: SandboxRecord): JsonObject {
  const query = savedQuery === undefined ? current["savedQuery"] : savedQuery;
  if (savedQueryLanguage !== undefined) return { savedQuery: query, savedQueryLanguage };
  const kept = current["savedQueryLanguage"];
  if (savedQuery === null) return { savedQuery: null, savedQueryLanguage: null };
  return { savedQuery: query, savedQueryLanguage: savedQuery ? "lucene" : kept };
}

/** SQL is the only type, and may be omitted. */
function storedFilterValues(values: readonly object[]): readonly object[] {
  return values.map((value) => ({ type: "sql", ...value }));
}

/** An empty list of containers is stored as an absent member. */
function storedContainers(containers: unknown): JsonObject {
  return Array.isArray(containers) && containers.length > 0 ? { containers } : {};
}
