import stringWidth from "string-width";
import { fit, pad } from "./fit.ts";
import { printable } from "./printable.ts";
import type { Paint, View } from "./theme.ts";

/** A cell, made printable before it is shown. */
export type Cell = string | { readonly text: string; readonly paint: Paint };

/** Rows of cells under titles. */
export interface Table {
  readonly columns: readonly { readonly title: string; readonly align?: "right" }[];
  readonly rows: readonly (readonly Cell[])[];
}

const GAP = "  ";
/** Narrower than this, a column says nothing any more. */
const LEAST_WIDTH = 6;
/** Names have up to 1,024 characters (field note); what is wider is cut even where there is no terminal. */
const WIDEST = 1024;

/** The table as lines, no line wider than the view. Where it does not fit, the widest columns are cut. */
export function renderTable(table: Table, view: View): string {
  const rows = table.rows.map((row) => row.map((cell) => shown(textOf(cell))));
  const natural = table.columns.map(({ title }, index) =>
    Math.max(stringWidth(title), ...rows.map((row) => stringWidth(row[index] ?? ""))),
  );
  const widths = view.columns === undefined ? natural : shrink(natural, view.columns);
  const line = (texts: readonly string[], paint: (text: string, column: number) => string): string =>
    table.columns
      .map(({ align }, index) =>
        paint(pad(fit(texts[index] ?? "", widths[index] ?? 0), widths[index] ?? 0, align), index),
      )
      .join(GAP)
      .trimEnd();
  const titles = line(
    table.columns.map(({ title }) => title),
    (text) => view.theme.faint(text),
  );
  const body = rows.map((texts, row) => line(texts, (text, column) => paintOf(table.rows[row]?.[column])(text)));
  return [titles, ...body].map((text) => `${text}\n`).join("");
}

/** Made safe and cut: every row is padded to the longest, so one name of a megabyte would make gigabytes of spaces. */
function shown(text: string): string {
  return fit(printable(text.length > WIDEST ? `${text.slice(0, WIDEST)}…` : text), WIDEST);
}

function textOf(cell: Cell): string {
  return typeof cell === "string" ? cell : cell.text;
}

function paintOf(cell: Cell | undefined): Paint {
  return cell === undefined || typeof cell === "string" ? (text) => text : cell.paint;
}

/** Takes from the widest column, cell by cell, until all fit. */
function shrink(natural: readonly number[], columns: number): number[] {
  const widths = [...natural];
  let excess = widths.reduce((sum, width) => sum + width, GAP.length * (widths.length - 1)) - columns;
  while (excess > 0) {
    const widest = widths.indexOf(Math.max(...widths));
    const width = widths[widest] ?? 0;
    if (width <= LEAST_WIDTH) break;
    widths[widest] = width - 1;
    excess -= 1;
  }
  return widths;
}
