import { fitText } from "../../core/text/fit-width.ts";
import { printableText } from "../../core/text/printable.ts";
import { plainWords, type Block, type Document, type Line, type Section } from "../../report/document.ts";
import { recordLines } from "../../report/view/record-lines.ts";

/** Forges limit the length of a comment, and the rest of a pull request must stay visible. */
const MAX_LINES = 50;
const MAX_LINE_WIDTH = 300;

export function documentMarkdown({ headline, notes, blocks, summary, label, next, digest }: Document): string {
  return [
    `**${escapeMarkdown(`${label}: ${summary}.`)}** ${escapeMarkdown(headline)}\n`,
    ...notes.map(({ text }) => `\n${escapeMarkdown(text)}\n`),
    ...blocks.map(blockMarkdown),
    ...next.map((line) => `\n${escapeMarkdown(line)}\n`),
    digest === undefined ? "" : `\nPlan \`${digest}\`\n`,
  ].join("");
}

/** Only plans and comparisons are printed in Markdown. */
function blockMarkdown(block: Block): string {
  switch (block.is) {
    case "records":
      return listMarkdown(recordLines(block, false));
    case "section":
      return sectionMarkdown(block);
    case "warnings":
      return block.lines.length === 0 ? "" : `\n### Warnings\n${listMarkdown(block.lines)}`;
    case "fold":
      return "";
    // Plans and comparisons have no such blocks.
    case "notes":
    case "facts":
    case "table":
    case "inventory":
    case "drawing":
      return "";
    default:
      return block satisfies never;
  }
}

function sectionMarkdown({ title, lines = [], next }: Section): string {
  const remedy: Line[] = next === undefined ? [] : [{ mark: "→", words: next }];
  const heading = lines.length === 0 ? "" : `\n### ${escapeMarkdown(title)}\n`;
  return `${heading}${listMarkdown([...lines, ...remedy])}`;
}

function listMarkdown(lines: readonly Line[]): string {
  const hiddenCount = lines.length - MAX_LINES;
  const more = hiddenCount <= 0 ? "" : `\n${moreText(hiddenCount)}\n`;
  return lines.length === 0 ? "" : `\n${itemsMarkdown(lines, "").join("")}${more}`;
}

function itemsMarkdown(lines: readonly Line[], indent: string): string[] {
  return lines.slice(0, MAX_LINES).map(({ mark, words, inner = [] }) => {
    const cut = escapeMarkdown(fitText(plainWords(words).slice(0, 1000), MAX_LINE_WIDTH));
    const hiddenCount = inner.length - MAX_LINES;
    const more = hiddenCount <= 0 ? "" : `${indent}  - ${moreText(hiddenCount)}\n`;
    // A dash at the beginning would begin another list, so a mark is in a code span.
    const marked = mark === "" ? "" : `\`${mark}\` `;
    return `${indent}- ${marked}${cut}\n${itemsMarkdown(inner, `${indent}  `).join("")}${more}`;
  });
}

function moreText(count: number): string {
  return `and ${count} more; \`--json\` has all of them`;
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
