import stringWidth from "string-width";
import { fitText, graphemeSegmenter } from "../../../core/text/fit-width.ts";
import { printableText } from "../../../core/text/printable.ts";
import { countText } from "../../../report/html/parts.ts";
import { tileTypeName } from "../../../report/html/tile-symbols.ts";
import type { DashboardModel, Panel, TileModel } from "../../../report/model/dashboard.ts";
import type { StackModel } from "../../../report/model/stack.ts";
import type { OutputOptions } from "../terminal.ts";

/** Width of a drawing in columns, if the width of the output is unknown. */
const DEFAULT_COLUMNS = 100;
const MAX_WIDTH = 160;

/** Draws a dashboard in characters: every tile at its position, with type, source and alerts. */
export function dashboardText(dashboard: DashboardModel, model: StackModel, display: OutputOptions): string {
  const columns = Math.min(display.columns ?? DEFAULT_COLUMNS, MAX_WIDTH);
  const { theme } = display;
  const line = (text: string): string => `${fitText(printableText(text), columns)}\n`;
  const alerts = model.alertsOn(dashboard.id);
  const counts = `${countText(dashboard.tiles.length, "tile")}, ${countText(alerts.length, "alert")}`;
  const tags = dashboard.tags.length === 0 ? "" : `  [${dashboard.tags.join(", ")}]`;
  const panels = dashboard.panels.map((panel) => {
    const title = titleOf(panel);
    const heading = title === "" ? "" : `\n${theme.strong(line(title).trimEnd())}\n`;
    return (
      heading +
      drawTextGrid(
        panel.tiles.map((tile) => gridTile(dashboard, tile, model)),
        columns,
      )
    );
  });
  const filters = dashboard.filters.map(({ name, expression }) => line(`filter ${name}: ${expression}`));
  const alertLines = alerts.map((alert) => {
    const tile = model.tile(dashboard.id, alert.tileId);
    return line(`! ${alert.name || alert.id}: on ${tile?.label ?? alert.tileId}, ${alert.condition}`);
  });
  return [
    `${theme.strong(line(dashboard.name || dashboard.id).trimEnd())}\n`,
    theme.faint(line(`${dashboard.id}  ${counts}${tags}`).trimEnd()) + "\n",
    ...panels,
    ...filters,
    ...alertLines,
  ].join("");
}

function titleOf({ title, tab, collapsed }: Panel): string {
  return `${title}${tab === "" ? "" : ` › ${tab}`}${collapsed ? " (closed at first)" : ""}`;
}

function gridTile({ id }: DashboardModel, tile: TileModel, model: StackModel): GridTile {
  const source = tile.sourceId === "" ? "" : (model.find("sources", tile.sourceId)?.name ?? tile.sourceId);
  const alerts = model.alertsOn(id, tile.id).length;
  const { x, y, w, h } = tile;
  const about = [tileTypeName(tile.type, tile.isSql), source].filter((part) => part !== "").join(" · ");
  const mark = alerts === 0 ? "" : alerts === 1 ? "! " : `!${alerts} `;
  return { x, y, w, h, lines: [`${mark}${tile.name || "(no title)"}`, about].map((line) => printableText(line)) };
}

/** A box to draw on the grid of 24 columns, and the lines of text in it, without control characters. */
export interface GridTile extends Pick<TileModel, "x" | "y" | "w" | "h"> {
  readonly lines: readonly string[];
}

const GRID = 24;
/** Maximum height of a drawing; a longer dashboard is cut. */
const MAX_ROWS = 240;

/** Draws boxes, no line wider than `columns`. A later box covers an earlier one, as in the browser. */
export function drawTextGrid(tiles: readonly GridTile[], columns: number): string {
  if (tiles.length === 0) return "(no tiles)\n";
  const top = tiles.reduce((least, { y }) => Math.min(least, y), Infinity);
  const canvas: string[][] = [];
  for (const tile of tiles) drawBox(canvas, { ...tile, y: tile.y - top }, columns);
  return canvas
    .slice(0, MAX_ROWS)
    .map(
      (row) =>
        `${Array.from(row, (cell) => cell ?? " ")
          .join("")
          .trimEnd()}\n`,
    )
    .join("");
}

function drawBox(canvas: string[][], { x, y, w, h, lines }: GridTile, columns: number): void {
  const leftEdge = Math.round((x * columns) / GRID);
  const rightEdge = Math.max(leftEdge + 1, Math.round(((x + w) * columns) / GRID) - 1);
  const first = Math.round(y);
  const last = Math.max(first + 1, Math.round(y + h) - 1);
  if (first >= MAX_ROWS) return;
  for (let row = first; row <= Math.min(last, MAX_ROWS); row += 1) {
    const [start = "", middle = "", end = ""] = row === first ? "┌─┐" : row === last ? "└─┘" : "│ │";
    const cells = rowOf(canvas, row);
    cells[leftEdge] = start;
    for (let at = leftEdge + 1; at < rightEdge; at += 1) cells[at] = middle;
    cells[rightEdge] = end;
  }
  const room = rightEdge - leftEdge - 3;
  const [title = "", about = ""] = lines;
  const inside = last - first - 1;
  // A box of two rows has no inside, so its title is drawn in its upper edge. A box of three rows has room for the title only.
  put(canvas, inside > 0 ? first + 1 : first, leftEdge + 2, fitText(title, room));
  if (inside > 1) put(canvas, first + 2, leftEdge + 2, fitText(about, room));
  else if (about !== "" && room >= 8) put(canvas, last, leftEdge + 2, ` ${fitText(about, room - 3)} `);
}

/** Writes a text into a row, one cell per column; the second cell of a wide character is empty. */
function put(canvas: string[][], row: number, column: number, text: string): void {
  const cells = rowOf(canvas, row);
  let cell = column;
  for (const { segment } of graphemeSegmenter.segment(text)) {
    const width = stringWidth(segment);
    cells[cell] = segment;
    for (let column = 1; column < width; column += 1) cells[cell + column] = "";
    cell += width;
  }
}

function rowOf(canvas: string[][], row: number): string[] {
  while (canvas.length <= row) canvas.push([]);
  return canvas[row] ?? [];
}
