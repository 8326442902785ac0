import stringWidth from "string-width";
import { printable } from "../../../core/text/printable.ts";
import type { OutputOptions, Paint } from "./theme.ts";

/** A cell, made printable before it is shown. */
export type Cell = string | { readonly text: string; readonly paint: Paint };

/** Rows of cells under titles. */
export interface Table {
  readonly columns: readonly { readonly title: string; readonly align?: "right" }[];
  readonly rows: readonly (readonly Cell[])[];
}

const GAP = "  ";
/** A narrower column is unreadable. */
const MIN_WIDTH = 6;
/** Names have up to 1,024 characters (docs/api.md#limits); what is wider is cut even where there is no terminal. */
const MAX_WIDTH = 1024;
/** Where there is no terminal, one long name must not fill every other line with spaces: it alone stands out. */
const MAX_PADDED_WIDTH = 200;

/**
 * The table as lines, no line wider than the output. Where it does not fit, the widest columns are cut. Each row is rendered
 * twice, once to be measured: an archive can have 50,000 rows, and they are not all held in memory.
 */
export function renderTable({ columns, rows }: Table, display: OutputOptions): string {
  const natural = columns.map(({ title }) => stringWidth(title));
  for (const row of rows) {
    for (const [index, cell] of row.entries())
      natural[index] = Math.max(natural[index] ?? 0, stringWidth(shown(textOf(cell))));
  }
  const widths =
    display.columns === undefined
      ? natural.map((width) => Math.min(width, MAX_PADDED_WIDTH))
      : shrink(natural, display.columns);
  const line = (row: readonly Cell[]): string => {
    const cells = columns.map(({ align }, index) => {
      const cell = row[index] ?? "";
      const width = widths[index] ?? 0;
      return paintOf(cell)(
        pad(display.columns === undefined ? shown(textOf(cell)) : fit(shown(textOf(cell)), width), width, align),
      );
    });
    return `${cells.join(GAP).trimEnd()}\n`;
  };
  const titles = columns.map(({ title }) => ({ text: title, paint: display.theme.faint }));
  const lines = [line(titles)];
  for (const row of rows) lines.push(line(row));
  return lines.join("");
}

/** Printable and cut. */
function shown(text: string): string {
  return fit(printable(text.length > MAX_WIDTH ? `${text.slice(0, MAX_WIDTH)}…` : text), MAX_WIDTH);
}

function textOf(cell: Cell): string {
  return typeof cell === "string" ? cell : cell.text;
}

function paintOf(cell: Cell): Paint {
  return typeof cell === "string" ? (text) => text : cell.paint;
}

/** Takes from the widest column, cell by cell, until all fit. */
function shrink(natural: readonly number[], columns: number): number[] {
  const widths = [...natural];
  let excess = widths.reduce((sum, width) => sum + width, GAP.length * (widths.length - 1)) - columns;
  while (excess > 0) {
    const widest = widths.indexOf(Math.max(...widths));
    const width = widths[widest] ?? 0;
    if (width <= MIN_WIDTH) break;
    widths[widest] = width - 1;
    excess -= 1;
  }
  return widths;
}

const ELLIPSIS = "…";
const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** The text cut to at most `width` terminal cells, the cut shown as `…`. Wide characters count as two cells. */
export function fit(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  let kept = "";
  let used = 0;
  for (const { segment } of graphemes.segment(text)) {
    used += stringWidth(segment);
    if (used > width - 1) break;
    kept += segment;
  }
  return width < 1 ? "" : kept + ELLIPSIS;
}

/** The text filled with spaces up to `width` cells. */
function pad(text: string, width: number, align: "left" | "right" = "left"): string {
  const space = " ".repeat(Math.max(0, width - stringWidth(text)));
  return align === "left" ? text + space : space + text;
}
