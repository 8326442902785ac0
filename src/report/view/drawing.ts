import type { Drawing, DrawnTile } from "../document.ts";
import type { DashboardModel, TileModel } from "../model/dashboard.ts";
import type { StackModel } from "../model/stack.ts";
import { nameOrId } from "./words.ts";

export function drawingOf({ id, name, panels }: DashboardModel, model: StackModel): Drawing {
  const drawn = (tile: TileModel): DrawnTile => ({
    ...tile,
    source: tile.sourceId === "" ? "" : (model.find("sources", tile.sourceId)?.name ?? tile.sourceId),
    alerts: model.alertsOn(id, tile.id).map((alert) => nameOrId(alert.name, alert.id)),
  });
  return {
    is: "drawing",
    name: nameOrId(name, id),
    panels: panels.map((panel) => ({ ...panel, tiles: panel.tiles.map(drawn) })),
  };
}
