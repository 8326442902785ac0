import stringWidth from "string-width";
import { fit } from "./fit.ts";

/** A box on the grid of 24 columns and the lines in it, printable already. */
export interface GridTile {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
  readonly lines: readonly string[];
}

const GRID = 24;
/** A dashboard that is longer is cut: a terminal is no place to scroll through it. */
const MOST_ROWS = 240;
const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** Boxes in their places, no line wider than `columns`. Overlapping boxes are drawn one over the other, as in the browser. */
export function drawGrid(tiles: readonly GridTile[], columns: number): string {
  if (tiles.length === 0) return "(no tiles)\n";
  const top = tiles.reduce((least, { y }) => Math.min(least, y), Infinity);
  const canvas: string[][] = [];
  for (const tile of tiles) drawBox(canvas, { ...tile, y: tile.y - top }, columns);
  return canvas
    .slice(0, MOST_ROWS)
    .map(
      (row) =>
        `${Array.from(row, (cell) => cell ?? " ")
          .join("")
          .trimEnd()}\n`,
    )
    .join("");
}

function drawBox(canvas: string[][], { x, y, w, h, lines }: GridTile, columns: number): void {
  const left = Math.round((x * columns) / GRID);
  const right = Math.max(left + 1, Math.round(((x + w) * columns) / GRID) - 1);
  const first = Math.round(y);
  const last = Math.max(first + 1, Math.round(y + h) - 1);
  if (first >= MOST_ROWS) return;
  for (let row = first; row <= Math.min(last, MOST_ROWS); row += 1) {
    const edge = row === first ? "┌─┐" : row === last ? "└─┘" : "│ │";
    put(canvas, row, left, edge.charAt(0) + edge.charAt(1).repeat(right - left - 1) + edge.charAt(2));
  }
  const room = right - left - 3;
  const [title = "", about = ""] = lines;
  const inside = last - first - 1;
  // A box of two rows has no inside: its title stands in its upper edge. One of three has room for the title alone.
  put(canvas, inside > 0 ? first + 1 : first, left + 2, fit(title, room));
  if (inside > 1) put(canvas, first + 2, left + 2, fit(about, room));
  else if (about !== "" && room >= 8) put(canvas, last, left + 2, ` ${fit(about, room - 3)} `);
}

/** Writes a text into a row, one cell a column; the second cell of a wide character is empty. */
function put(canvas: string[][], row: number, column: number, text: string): void {
  const cells = (canvas[row] ??= []);
  while (canvas.length <= row) canvas.push([]);
  let at = column;
  for (const { segment } of graphemes.segment(text)) {
    cells[at] = segment;
    for (let extra = 1; extra < stringWidth(segment); extra += 1) cells[at + extra] = "";
    at += stringWidth(segment);
  }
}
