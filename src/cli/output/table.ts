import stringWidth from "string-width";
import { fitText } from "../../core/text/fit-width.ts";
import { printableText } from "../../core/text/printable.ts";
import type { OutputOptions, Paint } from "./terminal.ts";

/** Control characters are escaped when the table is rendered. */
export type Cell = string | { readonly text: string; readonly paint: Paint };

/** If the rows are too wide, cells of a `below` column stand uncut below their rows. */
type Column = string | { readonly right: string } | { readonly below: string };

export interface Table {
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly Cell[])[];
}

const GAP = "  ";
/** A narrower column is unreadable. */
const MIN_WIDTH = 6;
/** Names have up to 1,024 characters (docs/api.md#limits). */
const MAX_WIDTH = 1024;
/** Without a terminal, one long name must not fill every other line with spaces. */
const MAX_PADDED_WIDTH = 200;

/** Escapes each cell to measure it and again to print it: kept copies of a large table would fill the memory. */
export function renderTable({ columns, rows }: Table, display: OutputOptions): string {
  const titles = columns.map(titleOf);
  const natural = titles.map((title) => stringWidth(title));
  for (const row of rows) {
    for (const [index, cell] of row.entries())
      natural[index] = Math.max(natural[index] ?? 0, stringWidth(printableCell(cell)));
  }
  const isNarrow = display.columns !== undefined && excessOf(natural, display.columns) > 0;
  const below = isNarrow ? columns.findIndex((column) => typeof column === "object" && "below" in column) : -1;
  if (below >= 0) natural[below] = 0;
  const widths =
    display.columns === undefined
      ? natural.map((width) => Math.min(width, MAX_PADDED_WIDTH))
      : shrink(natural, display.columns);
  const line = (row: readonly Cell[]): string => {
    const cells = columns.map((column, index) => {
      const cell = row[index] ?? "";
      const width = widths[index] ?? 0;
      const text = printableCell(cell);
      const fittedText = display.columns === undefined ? text : fitText(text, width);
      const space = " ".repeat(Math.max(0, width - stringWidth(fittedText)));
      const isRight = typeof column === "object" && "right" in column;
      return paintOf(cell)(isRight ? space + fittedText : fittedText + space);
    });
    return `${cells
      .filter((_, index) => index !== below)
      .join(GAP)
      .trimEnd()}\n`;
  };
  const lineBelow = (cell: Cell = ""): string => {
    const text = printableCell(cell);
    return text === "" ? "" : `${GAP}${paintOf(cell)(text)}\n`;
  };
  const lines = [line(titles.map((title) => ({ text: title, paint: display.theme.faint })))];
  for (const row of rows) lines.push(line(row) + lineBelow(row[below]));
  return lines.join("");
}

function titleOf(column: Column): string {
  if (typeof column === "string") return column;
  return "right" in column ? column.right : column.below;
}

function printableCell(cell: Cell): string {
  const text = typeof cell === "string" ? cell : cell.text;
  return fitText(printableText(text.length > MAX_WIDTH ? `${text.slice(0, MAX_WIDTH)}…` : text), MAX_WIDTH);
}

function paintOf(cell: Cell): Paint {
  return typeof cell === "string" ? (text) => text : cell.paint;
}

function excessOf(widths: readonly number[], columns: number): number {
  return widths.reduce((sum, width) => sum + width, GAP.length * (widths.length - 1)) - columns;
}

function shrink(natural: readonly number[], columns: number): number[] {
  const widths = [...natural];
  let excess = excessOf(widths, columns);
  while (excess > 0) {
    const widest = widths.indexOf(Math.max(...widths));
    const width = widths[widest] ?? 0;
    if (width <= MIN_WIDTH) break;
    widths[widest] = width - 1;
    excess -= 1;
  }
  return widths;
}
