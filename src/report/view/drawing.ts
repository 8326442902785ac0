import type { Drawing, DrawnTile } from "../document.ts";
import type { DashboardModel, TileMark, TileModel } from "../model/dashboard.ts";
import type { StackModel } from "../model/stack.ts";
import { nameOrId } from "./words.ts";

/** Makes the drawing of a dashboard. @param marks the marks of the tiles that differ, in a drawing beside another one */
export function drawingOf(
  { id, name, panels }: DashboardModel,
  model: StackModel,
  marks?: ReadonlyMap<TileModel, TileMark>,
): Drawing {
  const drawn = (tile: TileModel): DrawnTile => ({
    ...tile,
    source: tile.sourceId === "" ? "" : (model.find("sources", tile.sourceId)?.name ?? tile.sourceId),
    alerts: model.alertsOn(id, tile.id).map((alert) => nameOrId(alert.name, alert.id)),
    mark: marks?.get(tile),
  });
  return {
    is: "drawing",
    name: nameOrId(name, id),
    panels: panels.map((panel) => ({ ...panel, tiles: panel.tiles.map(drawn) })),
    isNarrow: marks !== undefined,
  };
}
