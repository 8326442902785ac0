import stringWidth from "string-width";
import { fitText, graphemeSegmenter } from "../../core/text/fit-width.ts";
import { printableText } from "../../core/text/printable.ts";
import type { Drawing, DrawnPanel, DrawnTile } from "../../report/document.ts";
import { joinNonEmpty } from "../../report/model/query.ts";
import { tileTypeName } from "../../report/view/words.ts";
import type { OutputOptions } from "./terminal.ts";

/** Width of a drawing in columns, if the width of the output is unknown. */
const DEFAULT_COLUMNS = 100;
const MAX_DRAWN = 160;

/** Draws a dashboard in characters: every tile at its position, with type, source and number of alerts. */
export function drawingText({ panels }: Drawing, { theme, columns = DEFAULT_COLUMNS }: OutputOptions): string {
  const width = Math.min(columns, MAX_DRAWN);
  return panels
    .map((panel) => {
      const title = fitText(printableText(titleOf(panel)), width);
      const heading = title === "" ? "" : `\n${theme.strong(title)}\n`;
      return heading + drawTextGrid(panel.tiles.map(gridTile), width);
    })
    .join("");
}

function titleOf({ title, tab, collapsed }: DrawnPanel): string {
  return `${title}${tab === "" ? "" : ` › ${tab}`}${collapsed ? " (closed at first)" : ""}`;
}

function gridTile(tile: DrawnTile): GridTile {
  const { x, y, w, h, alerts } = tile;
  const about = joinNonEmpty([tileTypeName(tile), tile.source]);
  const mark = alerts.length === 0 ? "" : alerts.length === 1 ? "! " : `!${alerts.length} `;
  return { x, y, w, h, lines: [`${mark}${tile.name || "(no title)"}`, about].map((line) => printableText(line)) };
}

/** A box to draw on the grid of 24 columns, and the lines of text in it, without control characters. */
interface GridTile extends Pick<DrawnTile, "x" | "y" | "w" | "h"> {
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
