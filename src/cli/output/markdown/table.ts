import { fit } from "../../../core/text/fit.ts";
import { plain } from "./escape.ts";

/** Maximum rows of a table: the rest of a pull request must stay visible, and forges limit the length of a comment. */
const MAX_ROWS = 50;
/** Maximum width of a cell, in characters; longer ones are cut. */
const MAX_WIDTH = 100;

/** Renders a table whose texts contain no active markup; empty without rows. */
export function markdownTable(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return "";
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |\n`;
  const shown = rows
    .slice(0, MAX_ROWS)
    .map((row) => line(row.map((cell) => plain(fit(cell.slice(0, 1000), MAX_WIDTH)))));
  const more = rows.length > MAX_ROWS ? `\nand ${rows.length - MAX_ROWS} more; \`--json\` has all of them\n` : "";
  return `${line(columns)}${line(columns.map(() => "---"))}${shown.join("")}${more}`;
}

/** A heading and its content; empty if the content is empty. */
export function markdownSection(title: string, content: string): string {
  return content === "" ? "" : `\n### ${title}\n\n${content}`;
}
