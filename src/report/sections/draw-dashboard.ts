import { drawPanel } from "../drawing/draw-panel.ts";
import { COLUMN } from "../drawing/grid-units.ts";
import { html } from "../html.ts";
import type { Html } from "../html.ts";
import type { DashboardModel, Panel } from "../model/dashboard.ts";
import type { StackModel } from "../model/stack-model.ts";
import type { TileMark } from "../model/tile-marks.ts";
import type { TileModel } from "../model/tile.ts";
import { counted, nameIn, nameOr } from "../page/parts.ts";

/** How a dashboard is drawn in a comparison. */
export interface ComparedDrawing {
  readonly markOf?: (tile: TileModel) => TileMark | undefined;
  readonly column?: number;
}

/** The grids of a dashboard, each container and tab with its title. */
export function drawDashboard(
  dashboard: DashboardModel,
  model: StackModel,
  { markOf = () => undefined, column = COLUMN }: ComparedDrawing = {},
): Html[] {
  const detailsOf = (tile: TileModel) => {
    const mark = markOf(tile);
    return {
      source: tile.sourceId === "" ? "" : nameIn(model, "sources", tile.sourceId),
      alerts: model.alertsOn(dashboard.id, tile.id).map(({ name, id }) => nameOr(name, id)),
      ...(mark !== undefined && { mark }),
    };
  };
  return dashboard.panels.map((panel) => {
    const title = titleOf(panel);
    const name = nameOr(dashboard.name, dashboard.id);
    const label = `Drawing of ${name}${title === "" ? "" : `, ${title}`}: ${counted(panel.tiles.length, "tile")}`;
    return html`${title !== "" && html`<h3>${title}${panel.collapsed && html` <span class="count">closed at first</span>`}</h3>`}${drawPanel(panel, { label, detailsOf, column })}`;
  });
}

function titleOf({ title, tab }: Panel): string {
  return tab === "" ? title : `${title} › ${tab}`;
}
