import type { JsonObject } from "../../core/json.ts";
import { labelOfChild, type StackRecord } from "../../core/records/record.ts";
import { objectsAt, textAt, describeQuery, describeMeasure, numberAt, objectAt } from "./query.ts";

export interface Panel {
  /** Empty for the grid of the dashboard itself. */
  readonly title: string;
  readonly tab: string;
  readonly collapsed: boolean;
  readonly tiles: readonly TileModel[];
}

export function readTiles({ body }: StackRecord): readonly TileModel[] {
  return objectsAt(body, "tiles").map(readTile);
}

/** A tile in an unknown container goes to the dashboard's own grid. */
export function panelsOf({ body }: StackRecord, tiles: readonly TileModel[]): Panel[] {
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
  /** The name; `tile 3` if the third tile has none. */
  readonly label: string;
  /** `x` and `w` in the 24 columns of the grid, `y` and `h` in rows. */
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
  readonly type: string;
  readonly isSql: boolean;
  readonly sourceId: string;
  readonly connectionId: string;
  readonly query: string;
  /** An alert on the tile compares this value: `quantile 0.95 of Duration`. */
  readonly measure: string;
  readonly containerId: string;
  readonly tabId: string;
}

const COLUMNS = 24;
/** Numbers in an archive are untrusted, and may be huge. */
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

function boxOf(body: JsonObject): Pick<TileModel, "x" | "y" | "w" | "h"> {
  const x = between(numberAt(body, "x") ?? 0, 0, COLUMNS - 1);
  return {
    x,
    y: between(numberAt(body, "y") ?? 0, 0, MAX_ROWS),
    w: between(numberAt(body, "w") ?? 6, 1, COLUMNS - x),
    h: between(numberAt(body, "h") ?? 2, 1, TALLEST),
  };
}

function between(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}
