import type { JsonObject } from "../../core/json.ts";
import type { StackRecord } from "../../core/records/record.ts";
import { objectsAt, textAt, textsAt } from "./query.ts";
import type { TileModel } from "./tile.ts";
import { readTile } from "./tile.ts";

/** A grid of tiles: the dashboard's own, or that of a container or of one of its tabs. */
export interface Panel {
  /** Empty for the dashboard's own. */
  readonly title: string;
  readonly tab: string;
  readonly collapsed: boolean;
  readonly tiles: readonly TileModel[];
}

/** A filter that people choose values of. */
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

/** Reads a dashboard. */
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

/** Tiles of each container and tab have a grid of their own; one that names a container which is not there is not lost. */
function panelsOf(body: JsonObject, tiles: readonly TileModel[]): Panel[] {
  const left = new Set(tiles);
  const take = (belongs: (tile: TileModel) => boolean): TileModel[] => {
    const taken = [...left].filter(belongs);
    for (const tile of taken) left.delete(tile);
    return taken;
  };
  const inContainers = objectsAt(body, "containers").flatMap((container): Panel[] => {
    const own = take((tile) => tile.containerId !== "" && tile.containerId === textAt(container, "id"));
    const head = {
      title: textAt(container, "title") || textAt(container, "id"),
      collapsed: container["collapsed"] === true,
    };
    const tabs = objectsAt(container, "tabs").map((tab): Panel => {
      const tabId = textAt(tab, "id");
      return { ...head, tab: textAt(tab, "title") || tabId, tiles: own.filter((tile) => tile.tabId === tabId) };
    });
    const inTabs = new Set(tabs.flatMap((tab) => tab.tiles));
    const outside = own.filter((tile) => !inTabs.has(tile));
    return outside.length > 0 || tabs.length === 0 ? [{ ...head, tab: "", tiles: outside }, ...tabs] : tabs;
  });
  const rest = [...left];
  return rest.length > 0 ? [{ title: "", tab: "", collapsed: false, tiles: rest }, ...inContainers] : inContainers;
}
