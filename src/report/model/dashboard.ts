import type { JsonObject } from "../../core/json.ts";
import type { StackRecord } from "../../core/records/record.ts";
import { objectsAt, textAt, textsAt } from "./query.ts";
import type { TileModel } from "./tile.ts";
import { readTile } from "./tile.ts";

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

/** A dashboard, as far as it can be drawn. */
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

/**
 * Groups tiles by container and tab, each with a grid of its own. A tile in a container that does not exist goes to the
 * dashboard's own grid.
 */
function panelsOf(body: JsonObject, tiles: readonly TileModel[]): Panel[] {
  const remaining = new Set(tiles);
  const take = (belongs: (tile: TileModel) => boolean): TileModel[] => {
    const taken = [...remaining].filter(belongs);
    for (const tile of taken) remaining.delete(tile);
    return taken;
  };
  const inContainers = objectsAt(body, "containers").flatMap((container): Panel[] => {
    const containerTiles = take((tile) => tile.containerId !== "" && tile.containerId === textAt(container, "id"));
    const head = {
      title: textAt(container, "title") || textAt(container, "id"),
      collapsed: container["collapsed"] === true,
    };
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
