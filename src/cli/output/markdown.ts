import { fitText } from "../../core/text/fit-width.ts";
import { printableText } from "../../core/text/printable.ts";
import {
  plainFacts,
  plainWords,
  type Block,
  type DescribedRecord,
  type Document,
  type Line,
  type Note,
  type Section,
  type TableBlock,
} from "../../report/document.ts";
import { recordLines } from "../../report/view/record-lines.ts";

/** Forges limit the length of a comment, and the rest of a pull request must stay visible. */
const MAX_LINES = 50;
const MAX_LINE_WIDTH = 300;

export function documentMarkdown({ headline, notes, blocks, summary, label, next, digest }: Document): string {
  return [
    `**${escapeMarkdown(`${label}: ${summary}.`)}** ${escapeMarkdown(headline)}\n`,
    notesMarkdown(notes),
    ...blocks.map(blockMarkdown),
    ...next.map((line) => `\n${escapeMarkdown(line)}\n`),
    digest === undefined ? "" : `\nPlan \`${digest}\`\n`,
  ].join("");
}

function blockMarkdown(block: Block): string {
  switch (block.is) {
    case "records":
      return listMarkdown(recordLines(block, false));
    case "section":
      return sectionMarkdown(block);
    case "warnings":
      return block.lines.length === 0 ? "" : `\n### Warnings\n${listMarkdown(block.lines)}`;
    case "notes":
      return notesMarkdown(block.notes);
    case "facts":
      return listMarkdown(plainFacts(block.facts).map(({ term, text }) => ({ mark: "", words: `${term}: ${text}` })));
    case "table":
      return tableMarkdown(block);
    case "inventory":
      return `\n### ${escapeMarkdown(block.title)}\n${listMarkdown(block.records.map(recordLine))}`;
    case "drawing":
    case "fold":
      return "";
    default:
      return block satisfies never;
  }
}

function sectionMarkdown({ title, lines = [], blocks = [], next }: Section): string {
  const remedy: Line[] = next === undefined ? [] : [{ mark: "→", words: next }];
  const content = `${listMarkdown([...lines, ...remedy])}${blocks.map(blockMarkdown).join("")}`;
  const heading = lines.length + blocks.length === 0 ? "" : `\n### ${escapeMarkdown(title)}\n`;
  return content === "" ? "" : `${heading}${content}`;
}

function recordLine({ id, name, content }: DescribedRecord): Line {
  return { mark: "", words: `${name || id}: ${plainWords(content().about)}` };
}

function tableMarkdown({ title, columns, rows }: TableBlock): string {
  const row = (cells: readonly string[]): string => `| ${cells.map(escapeMarkdown).join(" | ")} |\n`;
  const visible = rows.slice(0, MAX_LINES).map((cells) => row(cells.map(plainWords)));
  return `\n### ${escapeMarkdown(title)}\n\n${row(columns)}${row(columns.map(() => "---"))}${visible.join("")}`;
}

function notesMarkdown(notes: readonly Note[]): string {
  return notes.map(({ text }) => `\n${escapeMarkdown(text)}\n`).join("");
}

function listMarkdown(lines: readonly Line[]): string {
  const visibleLines = lines.slice(0, MAX_LINES);
  const hiddenCount = lines.length - visibleLines.length;
  const more = hiddenCount === 0 ? "" : `\nand ${hiddenCount} more; \`--json\` has all of them\n`;
  return lines.length === 0 ? "" : `\n${visibleLines.map((line) => itemMarkdown(line, "")).join("")}${more}`;
}

function itemMarkdown({ mark, words, inner = [] }: Line, indent: string): string {
  const cut = escapeMarkdown(fitText(plainWords(words).slice(0, 1000), MAX_LINE_WIDTH));
  const innerItems = inner.slice(0, MAX_LINES).map((line) => itemMarkdown(line, `${indent}  `));
  // A dash at the beginning would begin another list, so a mark is in a code span.
  return `${indent}- ${mark === "" ? "" : `\`${mark}\` `}${cut}\n${innerItems.join("")}`;
}

/** Escapes markup, mentions and ends of table cells. Markdown would turn a bare address into a link, so entities break addresses. */
function escapeMarkdown(text: string): string {
  return (
    printableText(text)
      .replaceAll(/[&<>]/g, (character) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[character] ?? "")
      .replaceAll(/[\\`*_[\]#|~$]/g, "\\$&")
      // A forge turns `#12` and `GH-12` into links even after a backslash.
      .replaceAll(/#(?=\d)/g, "#&#8203;")
      .replaceAll(/\bGH-(?=\d)/gi, "$&&#8203;")
      .replaceAll("@", "@&#8203;")
      .replaceAll("://", "&#58;//")
      .replaceAll(/\bwww\./gi, "www&#46;")
  );
}
