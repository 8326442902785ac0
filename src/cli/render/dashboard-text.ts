import type { DashboardModel, Panel } from "../../report/model/dashboard.ts";
import { counted } from "../../report/page/parts.ts";
import type { StackModel } from "../../report/model/stack-model.ts";
import { typeWords } from "../../report/drawing/tile-types.ts";
import { drawGrid } from "./draw-grid.ts";
import type { GridTile } from "./draw-grid.ts";
import { fit } from "./fit.ts";
import { printable } from "./printable.ts";
import type { View } from "./theme.ts";

/** As wide as a grid gets where nobody says how wide the output is. */
const DEFAULT_COLUMNS = 100;
const WIDEST = 160;

/** A dashboard drawn in characters: every tile in its place, with type, source and alerts. */
export function dashboardText(dashboard: DashboardModel, model: StackModel, view: View): string {
  const columns = Math.min(view.columns ?? DEFAULT_COLUMNS, WIDEST);
  const { theme } = view;
  const line = (text: string): string => `${fit(printable(text), columns)}\n`;
  const alerts = model.alertsOn(dashboard.id);
  const counts = `${counted(dashboard.tiles.length, "tile")}, ${counted(alerts.length, "alert")}`;
  const tags = dashboard.tags.length === 0 ? "" : `  [${dashboard.tags.join(", ")}]`;
  const panels = dashboard.panels.map((panel) => {
    const title = titleOf(panel);
    const heading = title === "" ? "" : `\n${theme.strong(line(title).trimEnd())}\n`;
    return (
      heading +
      drawGrid(
        panel.tiles.map((tile) => gridTile(dashboard, tile, model)),
        columns,
      )
    );
  });
  const filters = dashboard.filters.map(({ name, expression }) => line(`filter ${name}: ${expression}`));
  const told = alerts.map((alert) => {
    const tile = model.tile(dashboard.id, alert.tileId);
    return line(`! ${alert.name || alert.id}: on ${tile?.name ?? alert.tileId}, ${alert.condition}`);
  });
  return [
    `${theme.strong(line(dashboard.name || dashboard.id).trimEnd())}\n`,
    theme.faint(line(`${dashboard.id}  ${counts}${tags}`).trimEnd()) + "\n",
    ...panels,
    ...filters,
    ...told,
  ].join("");
}

function titleOf({ title, tab, collapsed }: Panel): string {
  return `${title}${tab === "" ? "" : ` › ${tab}`}${collapsed ? " (closed at first)" : ""}`;
}

function gridTile({ id }: DashboardModel, tile: DashboardModel["tiles"][number], model: StackModel): GridTile {
  const source = tile.sourceId === "" ? "" : (model.find("sources", tile.sourceId)?.name ?? tile.sourceId);
  const alerts = model.alertsOn(id, tile.id).length;
  const { x, y, w, h } = tile;
  const about = [typeWords(tile.type, tile.sql), source].filter((part) => part !== "").join(" · ");
  const mark = alerts === 0 ? "" : alerts === 1 ? "! " : `!${alerts} `;
  return { x, y, w, h, lines: [`${mark}${tile.name || "(no title)"}`, about].map(printable) };
}
