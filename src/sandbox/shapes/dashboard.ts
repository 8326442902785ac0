import type { IdGenerator } from "../store/ids.ts";
import type { JsonObject, SandboxRecord } from "../store/record.ts";
import { idsIn } from "../store/record.ts";
import type { KeptDashboard, NewDashboard } from "../schema/dashboard.ts";
import type { Tile } from "../schema/tile.ts";
import { arrange, legacySeriesConfig, tileConfigShape } from "./tile-config.ts";

const FILTER_ORDER = [
  "type",
  "name",
  "expression",
  "where",
  "whereLanguage",
  "appliesToSourceIds",
  "isVariableEnabled",
  "sourceMetricType",
  "id",
  "sourceId",
];
// An update moves the id to the front (recording 17): a client has to compare canonically.
const KEPT_FILTER_ORDER = ["id", ...FILTER_ORDER.filter((member) => member !== "id")];

/** The record a create makes. Its id and those of its tiles and filters are always new, whatever was sent. */
export function createdDashboard(body: NewDashboard, ids: IdGenerator, id?: string): SandboxRecord {
  const tiles = body.tiles.map((tile) => tileShape(tile, ids.id()));
  const filters = (body.filters ?? []).map((filter) => arrange({ ...filter, id: ids.id() }, FILTER_ORDER));
  return {
    id: id ?? ids.id(),
    name: body.name,
    tiles,
    tags: [...new Set(body.tags)],
    filters,
    ...savedQueryShape(body, { query: null, language: null }),
    savedFilterValues: body.savedFilterValues ?? [],
    ...containersShape(body.containers),
  };
}

/** The record an update leaves: tiles and filters keep an id that exists, members left out keep their content. */
export function updatedDashboard(current: SandboxRecord, body: KeptDashboard, ids: IdGenerator): SandboxRecord {
  const tileIds = idsIn(current["tiles"]);
  const filterIds = idsIn(current["filters"]);
  const filters = body.filters?.map((filter) =>
    arrange({ ...filter, id: filterIds.has(filter.id) ? filter.id : ids.id() }, KEPT_FILTER_ORDER),
  );
  const saved = { query: current["savedQuery"], language: current["savedQueryLanguage"] };
  return {
    id: current.id,
    name: body.name,
    tiles: body.tiles.map((tile) => tileShape(tile, tileIds.has(tile.id ?? "") ? tile.id : ids.id())),
    tags: body.tags === undefined ? current["tags"] : [...new Set(body.tags)],
    filters: filters ?? current["filters"],
    ...savedQueryShape(body, saved),
    savedFilterValues: body.savedFilterValues ?? current["savedFilterValues"],
    ...containersShape(body.containers ?? current["containers"]),
  };
}

function tileShape(tile: Tile, id: string | undefined): JsonObject {
  const config = tile.config ?? legacySeriesConfig(tile.series ?? [], tile.asRatio);
  const { x, y, w, h, name, containerId, tabId } = tile;
  const place = arrange({ containerId, tabId }, ["containerId", "tabId"]);
  return { id, x, y, w, h, name, config: tileConfigShape(config), ...place };
}

/** A query always has a language, and none has none (recordings 211, 212). */
function savedQueryShape(
  body: Pick<NewDashboard, "savedQuery" | "savedQueryLanguage">,
  current: { readonly query: unknown; readonly language: unknown },
): JsonObject {
  const savedQuery = body.savedQuery === undefined ? current.query : body.savedQuery;
  const known = body.savedQueryLanguage === undefined ? current.language : body.savedQueryLanguage;
  const savedQueryLanguage = savedQuery === null ? (body.savedQueryLanguage ?? null) : (known ?? "lucene");
  return { savedQuery, savedQueryLanguage };
}

/** No containers are shown as no member (recordings 200, 212). */
function containersShape(containers: unknown): JsonObject {
  return Array.isArray(containers) && containers.length > 0 ? { containers } : {};
}
