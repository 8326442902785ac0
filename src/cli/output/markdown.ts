import { fitText } from "../../core/text/fit-width.ts";
import type { ViewLine } from "../../report/view/sections.ts";
import { printableText } from "../../core/text/printable.ts";

/** Maximum number of rows of a table: the rest of a pull request must stay visible, and forges limit the length of a comment. */
const MAX_ROWS = 50;
/** Maximum width of a cell, in characters; longer texts are cut. */
const MAX_WIDTH = 100;
/** Maximum number of lines of a list, and of inner lines below each line. */
const MAX_LINES = 50;
/** Maximum width of a line of a list, in characters. */
const MAX_LINE_WIDTH = 300;

/** Renders a table whose texts contain no active markup; empty without rows. */
export function markdownTable(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return "";
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |\n`;
  const lines = rows
    .slice(0, MAX_ROWS)
    .map((row) => line(row.map((cell) => escapeMarkdown(fitText(cell.slice(0, 1000), MAX_WIDTH)))));
  const more = rows.length > MAX_ROWS ? `\nand ${rows.length - MAX_ROWS} more; \`--json\` has all of them\n` : "";
  return `${line(columns)}${line(columns.map(() => "---"))}${lines.join("")}${more}`;
}

/** Renders a heading and its content; empty if the content is empty. */
export function markdownSection(title: string, content: string): string {
  return content === "" ? "" : `\n### ${title}\n\n${content}`;
}

/** Renders lines as a list, the inner ones as lists below them; empty without lines. */
export function markdownList(lines: readonly ViewLine[]): string {
  const visibleLines = lines.slice(0, MAX_LINES);
  const items = visibleLines.flatMap((line) => [
    `- ${markdownText(line)}\n`,
    ...(line.inner ?? []).slice(0, MAX_LINES).map((inner) => `  - ${markdownText(inner)}\n`),
  ]);
  const hiddenCount = lines.length - visibleLines.length;
  return `${items.join("")}${hiddenCount === 0 ? "" : `\nand ${hiddenCount} more; \`--json\` has all of them\n`}`;
}

/** Renders a line of a list. Its mark is put in a code span, because a leading dash would begin another list. */
function markdownText({ mark, text }: ViewLine): string {
  const cut = fitText(text.slice(0, 1000), MAX_LINE_WIDTH);
  return mark === "" ? escapeMarkdown(cut) : `${inlineCode(mark)} ${escapeMarkdown(cut)}`;
}

/**
 * Escapes text so that Markdown renders it verbatim: no markup, link, mention or early end of a table cell. Colons and dots of an
 * address are written as entities, because Markdown would turn a bare address into a link.
 */
export function escapeMarkdown(text: string): string {
  return (
    printableText(text)
      .replaceAll(/[&<>]/g, (character) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[character] ?? "")
      .replaceAll(/[\\`*_[\]#|~$]/g, "\\$&")
      // A forge turns `#12` and `GH-12` into links even after a backslash, so a zero-width space separates the characters.
      .replaceAll(/#(?=\d)/g, "#&#8203;")
      .replaceAll(/\bGH-(?=\d)/gi, "$&&#8203;")
      .replaceAll("@", "@&#8203;")
      .replaceAll("://", "&#58;//")
      .replaceAll(/\bwww\./gi, "www&#46;")
  );
}

/** Puts text in backquotes: one more than the longest run of backquotes in the text. */
export function inlineCode(text: string): string {
  const content = printableText(text).replaceAll("|", String.raw`\|`);
  const longest = Math.max(0, ...[...content.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  const space = content.startsWith("`") || content.endsWith("`") || content === "" ? " " : "";
  return `${fence}${space}${content}${space}${fence}`;
}
