import { styleText } from "node:util";
import type { CliIo, TextOutput } from "../program/io.ts";
import { upperFirst } from "../../core/text/format.ts";
import stringWidth from "string-width";
import { fitText } from "../../core/text/fit-width.ts";
import { printable } from "../../core/text/printable.ts";

type Style = Parameters<typeof styleText>[0];

/** Colours by meaning. */
export interface Theme {
  readonly good: Paint;
  readonly bad: Paint;
  readonly notice: Paint;
  readonly faint: Paint;
  readonly strong: Paint;
  /** Like `strong`, but also makes the first letter a capital, as every heading begins with one. */
  readonly heading: Paint;
}

/** Colours a text, or returns it unchanged. */
export type Paint = (text: string) => string;

/** Display options: the colours, and the maximum width in columns (undefined: unlimited). */
export interface OutputOptions {
  readonly theme: Theme;
  readonly columns: number | undefined;
  /** True if nothing is to be cut or summarised (`--verbose`). */
  readonly verbose?: boolean;
}

const STYLES: Readonly<Record<Exclude<keyof Theme, "heading">, Style>> = {
  good: "green",
  bad: "red",
  notice: "yellow",
  faint: "dim",
  strong: "bold",
};

export function createTheme(colours: boolean): Theme {
  const paint =
    (style: Style): Paint =>
    (text) =>
      colours ? styleText(style, text, { validateStream: false }) : text;
  const strong = paint(STYLES.strong);
  return {
    good: paint(STYLES.good),
    bad: paint(STYLES.bad),
    notice: paint(STYLES.notice),
    faint: paint(STYLES.faint),
    strong,
    heading: (text) => strong(upperFirst(text)),
  };
}

/** Tells whether to colour. The order: `--no-color`, `FORCE_COLOR`, `NO_COLOR`, `TERM=dumb`, whether it is a terminal. */
export function usesColour(output: TextOutput, env: CliIo["env"], noColor: boolean): boolean {
  if (noColor) return false;
  const { FORCE_COLOR: forced, NO_COLOR: refused, TERM: terminal } = env;
  if (forced !== undefined) return forced !== "0" && forced !== "false";
  if (refused !== undefined && refused !== "") return false;
  return terminal !== "dumb" && output.isTTY;
}

/** Renders a problem as one marked line, and the next step below it. */
export function problemLine(problem: string, hint: string | undefined, { bad }: Theme): string {
  return `${bad("✗")} ${printable(problem)}\n${hint === undefined ? "" : `  ${printable(hint)}\n`}`;
}

/** A cell of a table. Its control characters are escaped when the table is rendered. */
export type Cell = string | { readonly text: string; readonly paint: Paint };

/**
 * A column by its title. The cells of a `right` column are aligned to the right. If the rows are too wide, those of a `below`
 * column are not cut: each stands on a line of its own, below its row.
 */
type Column = string | { readonly right: string } | { readonly below: string };

export interface Table {
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly Cell[])[];
}

const GAP = "  ";
/** Minimum width of a column; a narrower one is unreadable. */
const MIN_WIDTH = 6;
/** Maximum width of a column, also without a terminal: names have up to 1,024 characters (docs/api.md#limits). */
const MAX_WIDTH = 1024;
/** Maximum padding of a column without a terminal, so that one long name does not fill every other line with spaces. */
const MAX_PADDED_WIDTH = 200;

/**
 * Renders lines no wider than the output: if necessary, the widest columns are cut or shown below their rows. Each row is
 * rendered twice, the first time to be measured: an archive can have 50,000 rows, and they are not all held in memory.
 */
export function renderTable({ columns, rows }: Table, display: OutputOptions): string {
  const titles = columns.map(titleOf);
  const natural = titles.map((title) => stringWidth(title));
  for (const row of rows) {
    for (const [index, cell] of row.entries())
      natural[index] = Math.max(natural[index] ?? 0, stringWidth(printableCell(textOf(cell))));
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
      const text = printableCell(textOf(cell));
      const fittedText = display.columns === undefined ? text : fitText(text, width);
      const isRight = typeof column === "object" && "right" in column;
      return paintOf(cell)(pad(fittedText, width, isRight ? "right" : "left"));
    });
    return `${cells
      .filter((_, index) => index !== below)
      .join(GAP)
      .trimEnd()}\n`;
  };
  const lineBelow = (cell: Cell = ""): string => {
    const text = printableCell(textOf(cell));
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

/** Escapes control characters and cuts the text to the maximum width. */
function printableCell(text: string): string {
  return fitText(printable(text.length > MAX_WIDTH ? `${text.slice(0, MAX_WIDTH)}…` : text), MAX_WIDTH);
}

function textOf(cell: Cell): string {
  return typeof cell === "string" ? cell : cell.text;
}

function paintOf(cell: Cell): Paint {
  return typeof cell === "string" ? (text) => text : cell.paint;
}

/** Returns the number of terminal cells by which a row is too wide. */
function excessOf(widths: readonly number[], columns: number): number {
  return widths.reduce((sum, width) => sum + width, GAP.length * (widths.length - 1)) - columns;
}

/** Narrows the widest column, one terminal cell at a time, until the row fits. */
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

function pad(text: string, width: number, align: "left" | "right"): string {
  const space = " ".repeat(Math.max(0, width - stringWidth(text)));
  return align === "left" ? text + space : space + text;
}
