import { shortDigest } from "../../core/plan/plan.ts";
import { fitText, wrapText } from "../../core/text/fit-width.ts";
import { printableText } from "../../core/text/printable.ts";
import {
  plainWords,
  spansOf,
  type Block,
  type Document,
  type Fact,
  type Inventory,
  type Line,
  type Mark,
  type Note,
  type Section,
  type TableBlock,
  type Words,
} from "../../report/document.ts";
import { recordLines } from "../../report/view/record-lines.ts";
import { nameOrId } from "../../report/view/words.ts";
import { renderTable } from "./table.ts";
import type { OutputOptions, Paint, Theme } from "./terminal.ts";

/** Without `--verbose`, a list fits a screen. */
const MAX_LINES = 24;
const MAX_INNER = 8;
/** For an inner line without a terminal. */
const MAX_WIDTH = 160;

const MIN_WRAPPED = 40;

const MARKS: Readonly<Partial<Record<Mark, keyof Theme>>> = {
  "+": "good",
  "-": "bad",
  "~": "notice",
  "!": "bad",
  "?": "notice",
};

export function documentText(document: Document, display: OutputOptions): string {
  const { headline, notes, summary, label, next, digest } = document;
  const { theme } = display;
  const body = blocksText(document.blocks, display).replace(/^\n/, "");
  if (body === "" && notes.length === 0 && next.length === 0) return `${printableText(`${headline}: ${summary}`)}\n`;
  const counts = printableText(`${label}: ${summary}.`).replaceAll(/\b\d+ (?:failed|blocked)\b/g, (bad) =>
    theme.bad(bad),
  );
  return [
    `${theme.strong(wrapped(printableText(headline), display, ""))}\n`,
    notesText(notes, theme),
    body === "" ? "" : `\n${body}\n`,
    `${counts}\n`,
    ...next.map((line) => `${printableText(line)}\n`),
    digest === undefined ? "" : `Plan ${shortDigest(digest)}\n`,
  ].join("");
}

export function blocksText(blocks: readonly Block[], display: OutputOptions): string {
  return blocks.map((block) => blockText(block, display)).join("");
}

function blockText(block: Block, display: OutputOptions): string {
  const { verbose = false, theme } = display;
  switch (block.is) {
    case "records":
      return listText(recordLines(block, verbose), { ...display, verbose: verbose || block.isWhole === true });
    case "section":
      return sectionText(block, display);
    case "fold":
      return verbose ? blocksText(block.blocks, display) : "";
    case "table":
      return tableText(block, display);
    case "facts":
      return factsText(block.facts, display);
    case "inventory":
      return inventoryText(block, display);
    case "notes":
      return notesText(block.notes, theme);
    case "drawing":
    case "warnings":
      return "";
    default:
      return block satisfies never;
  }
}

function sectionText({ title, lines = [], blocks = [], next }: Section, display: OutputOptions): string {
  const remedy: Line[] = next === undefined ? [] : [{ mark: "→", words: next }];
  const content = `${listText(lines, display)}${blocksText(blocks, display)}${linesText(remedy, display)}`;
  const heading = lines.length + blocks.length === 0 ? "" : `${display.theme.heading(printableText(title))}\n`;
  const space = blocks.length === 0 ? "" : "\n";
  return content === "" ? "" : `${space}${heading}${content}`;
}

function notesText(notes: readonly Note[], { bad, notice }: Theme): string {
  return notes.map(({ text, isFailure }) => `${(isFailure ? bad : notice)(printableText(text))}\n`).join("");
}

function tableText({ title, columns, rows }: TableBlock, display: OutputOptions): string {
  const table = { columns: columns.map((name) => name.toUpperCase()), rows: rows.map((row) => row.map(plainWords)) };
  return `\n${display.theme.heading(title)}\n${renderTable(table, display)}`;
}

function factsText(facts: readonly Fact[], display: OutputOptions): string {
  const filled = facts
    .map(([term, words = ""]) => ({ term, text: plainWords(words) }))
    .filter(({ text }) => text !== "");
  const width = filled.reduce((most, { term }) => Math.max(most, term.length), 0) + 2;
  const lines = filled.map(({ term, text }) => {
    const [first = "", ...others] = text.split("\n").map((line) => printableText(line));
    const below = others.map((line) => `${" ".repeat(width)}${line}\n`);
    return `${display.theme.faint(term.padEnd(width))}${wrapped(first, display, " ".repeat(width))}\n${below.join("")}`;
  });
  return lines.join("");
}

function inventoryText({ title, records }: Inventory, display: OutputOptions): string {
  const { theme } = display;
  const described = records.map(({ id, name, content }) => {
    const { about, blocks } = content();
    const aboutText = plainWords(about);
    return [
      `\n${theme.strong(printableText(nameOrId(name, id)))}\n`,
      aboutText === "" ? "" : `${wrapped(printableText(aboutText), display, "")}\n`,
      blocksText(blocks, display),
    ].join("");
  });
  return `\n${theme.heading(title)}\n${described.join("")}`;
}

function listText(lines: readonly Line[], display: OutputOptions): string {
  let used = 0;
  const end = lines.findIndex(({ inner = [] }) => {
    used += 1 + Math.min(inner.length, MAX_INNER);
    return used > MAX_LINES;
  });
  const visible = display.verbose === true || end === -1 ? lines : lines.slice(0, Math.max(1, end));
  return `${linesText(visible, display)}${moreText(lines.length - visible.length, "")}`;
}

function linesText(lines: readonly Line[], display: OutputOptions, indent = ""): string {
  const { verbose = false, columns = MAX_WIDTH, theme } = display;
  const isInner = indent !== "";
  const visible = verbose || !isInner ? lines : lines.slice(0, MAX_INNER);
  const rendered = visible.map(({ mark, words, inner = [] }) => {
    const head = mark === "" ? "" : `${paintOf(mark, theme)(mark)} `;
    // Inner lines without a mark have names and reasons, and are not cut.
    const width = verbose || !isInner || mark === "" ? undefined : Math.max(20, columns - indent.length - 2);
    const hanging = `${indent}${mark === "" ? "" : "  "}`;
    const text = wrapped(paintedWords(words, theme, width), display, hanging);
    return `${indent}${head}${text}\n${linesText(inner, display, `${indent}    `)}`;
  });
  return rendered.join("") + moreText(lines.length - visible.length, indent);
}

function wrapped(text: string, { columns }: OutputOptions, hanging: string): string {
  if (columns === undefined) return text;
  return wrapText(text, Math.max(MIN_WRAPPED, columns), hanging, hanging.length);
}

function paintedWords(words: Words, { bad, good }: Theme, width: number | undefined): string {
  const text = printableText(plainWords(words));
  const fitted = width === undefined ? text : fitText(text, width);
  if (fitted !== text) return fitted;
  const painted = spansOf(words).map((span) => {
    const printed = printableText(plainWords(span));
    if (typeof span === "string") return printed;
    return "removed" in span ? bad(printed) : "added" in span ? good(printed) : printed;
  });
  return painted.join("");
}

function paintOf(mark: Mark, theme: Theme): Paint {
  const paint = MARKS[mark];
  return paint === undefined ? (text) => text : theme[paint];
}

function moreText(count: number, indent: string): string {
  return count === 0 ? "" : `${indent}… and ${count} more (--verbose shows all)\n`;
}
