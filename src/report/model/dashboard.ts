import type { JsonObject } from "../../core/json.ts";
import { labelOfChild, type StackRecord } from "../../core/records/record.ts";
import { objectsAt, textAt, textsAt, describeQuery, describeMeasure, numberAt, objectAt } from "./query.ts";
import type { MemberChange } from "../../core/diff.ts";

/** A grid of tiles: of the dashboard itself, of a container, or of a container's tab. */
export interface Panel {
  /** The title of the container; empty for the grid of the dashboard itself. */
  readonly title: string;
  readonly tab: string;
  readonly collapsed: boolean;
  readonly tiles: readonly TileModel[];
}

/** A filter of a dashboard, whose value the viewer chooses. */
export interface FilterModel {
  readonly name: string;
  readonly expression: string;
  readonly sourceId: string;
  readonly appliesTo: readonly string[];
}

export interface DashboardModel {
  readonly id: string;
  readonly name: string;
  readonly tags: readonly string[];
  readonly tiles: readonly TileModel[];
  readonly panels: readonly Panel[];
  readonly filters: readonly FilterModel[];
  readonly savedQuery: string;
}

export function readDashboard({ id, name, body }: StackRecord): DashboardModel {
  const tiles = objectsAt(body, "tiles").map(readTile);
  return {
    id,
    name,
    tags: textsAt(body, "tags"),
    tiles,
    panels: panelsOf(body, tiles),
    filters: objectsAt(body, "filters").map(readFilter),
    savedQuery: textAt(body, "savedQuery"),
  };
}

function readFilter(body: JsonObject): FilterModel {
  return {
    name: textAt(body, "name"),
    expression: textAt(body, "expression"),
    sourceId: textAt(body, "sourceId"),
    appliesTo: textsAt(body, "appliesToSourceIds"),
  };
}

/** Groups tiles by container and tab. A tile in a container that does not exist goes to the dashboard's own grid. */
function panelsOf(body: JsonObject, tiles: readonly TileModel[]): Panel[] {
  const remaining = new Set(tiles);
  const inContainers = objectsAt(body, "containers").flatMap((container): Panel[] => {
    const containerId = textAt(container, "id");
    const containerTiles = [...remaining].filter((tile) => containerId !== "" && tile.containerId === containerId);
    for (const tile of containerTiles) remaining.delete(tile);
    const head = { title: textAt(container, "title") || containerId, collapsed: container["collapsed"] === true };
    const tabs = objectsAt(container, "tabs").map((tab): Panel => {
      const tabId = textAt(tab, "id");
      return {
        ...head,
        tab: textAt(tab, "title") || tabId,
        tiles: containerTiles.filter((tile) => tile.tabId === tabId),
      };
    });
    const inTabs = new Set(tabs.flatMap((tab) => tab.tiles));
    const outside = containerTiles.filter((tile) => !inTabs.has(tile));
    return outside.length > 0 || tabs.length === 0 ? [{ ...head, tab: "", tiles: outside }, ...tabs] : tabs;
  });
  const rest = [...remaining];
  return rest.length > 0 ? [{ title: "", tab: "", collapsed: false, tiles: rest }, ...inContainers] : inContainers;
}

export interface TileModel {
  readonly id: string;
  readonly name: string;
  /** What people call the tile: its name, or its number. */
  readonly label: string;
  /** Position and size of the tile: `x` and `w` in the 24 columns of the grid, `y` and `h` in rows. */
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
  /** The display type: `line`, `number`, `markdown` …; `unknown` if the record does not say. */
  readonly type: string;
  /** Whether the tile has an SQL query of its own. */
  readonly isSql: boolean;
  readonly sourceId: string;
  readonly connectionId: string;
  /** The query in words. */
  readonly query: string;
  /** The value that an alert on the tile compares: `count`, `quantile 0.95 of Duration`. */
  readonly measure: string;
  readonly containerId: string;
  readonly tabId: string;
  /** Whether the tile lies outside of the grid and is drawn at the edge. */
  readonly isOutsideGrid: boolean;
}

const COLUMNS = 24;
/** Limits of the drawing, because numbers in an archive are untrusted. No real dashboard comes near them. */
const MAX_ROWS = 1000;
const TALLEST = 100;

export function readTile(body: JsonObject, position: number): TileModel {
  const config = objectAt(body, "config");
  const [series = {}] = objectsAt(body, "series");
  return {
    ...boxOf(body),
    id: textAt(body, "id"),
    name: textAt(body, "name"),
    label: labelOfChild("tile", textAt(body, "name"), position),
    type: textAt(config, "displayType") || textAt(series, "displayType") || textAt(series, "type") || "unknown",
    isSql: textAt(config, "configType") === "sql",
    sourceId: textAt(config, "sourceId") || textAt(series, "sourceId"),
    connectionId: textAt(config, "connectionId"),
    query: describeQuery(config),
    measure: describeMeasure(config),
    containerId: textAt(body, "containerId"),
    tabId: textAt(body, "tabId"),
  };
}

function boxOf(body: JsonObject): Pick<TileModel, "x" | "y" | "w" | "h" | "isOutsideGrid"> {
  const declaredBox = {
    x: numberAt(body, "x") ?? 0,
    y: numberAt(body, "y") ?? 0,
    w: numberAt(body, "w") ?? 6,
    h: numberAt(body, "h") ?? 2,
  };
  const x = between(declaredBox.x, 0, COLUMNS - 1);
  const box = {
    x,
    y: between(declaredBox.y, 0, MAX_ROWS),
    w: between(declaredBox.w, 1, COLUMNS - x),
    h: between(declaredBox.h, 1, TALLEST),
  };
  return {
    ...box,
    isOutsideGrid:
      box.x !== declaredBox.x || box.y !== declaredBox.y || box.w !== declaredBox.w || box.h !== declaredBox.h,
  };
}

function between(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}

/**
 * The difference of a tile in a comparison. The word is written on the tile, because a drawing must be readable without colours.
 */
export type TileMark = "added" | "removed" | "changed";

/** Matches a pointer to a tile (`/tiles/3`), or to a member within a tile. */
const TILE = /^\/tiles\/(\d+)(\/.+)?$/;

/** The counterpart of a changed tile has the same id, or else the same name, or else the same place. */
export function markTiles(
  members: readonly MemberChange[],
  left: readonly TileModel[],
  right: readonly TileModel[],
): Map<TileModel, TileMark> {
  const marks = new Map<TileModel, TileMark>();
  for (const { pointer, change } of members) {
    const [, index, below] = TILE.exec(pointer) ?? [];
    const mark = below === undefined && (change === "added" || change === "removed") ? change : "changed";
    // The pointer leads into the record on the right, or on the left if the whole tile was removed.
    const [side, others] = mark === "removed" ? [left, right] : [right, left];
    const tile = index === undefined ? undefined : side[Number(index)];
    if (tile === undefined) continue;
    if (mark !== "changed") marks.set(tile, mark);
    else for (const each of [tile, counterpart(tile, others)]) if (each && !marks.has(each)) marks.set(each, mark);
  }
  return marks;
}

function counterpart(tile: TileModel, others: readonly TileModel[]): TileModel | undefined {
  return (
    others.find(({ id }) => id === tile.id) ??
    others.find(({ name, x, y }) => name === tile.name && x === tile.x && y === tile.y) ??
    others.find(({ name }) => name === tile.name) ??
    others.find(({ x, y, w, h }) => x === tile.x && y === tile.y && w === tile.w && h === tile.h)
  );
}
