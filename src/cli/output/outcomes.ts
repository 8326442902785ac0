import { leavesRunIncomplete, nameOfOutcome, type Outcome } from "../../core/outcome.ts";
import { printableText } from "../../core/text/printable.ts";
import type { SourceProbe } from "../../import/apply/probe-sources.ts";
import { sortByKind } from "../../kinds/registry.ts";
import { reasonLines, type ViewLine, type ViewSection } from "../../report/view/sections.ts";
import { renderTable } from "./table.ts";
import type { OutputOptions, Theme } from "./terminal.ts";
import { fitText } from "../../core/text/fit-width.ts";

/** A line for a run in which nothing but failures of the stack stopped records. */
export const REPEAT_HELPS = "Nothing but failures of the stack stopped these records: run the same command again.\n";

/** Lists the records that failed, were blocked or may be lost, each with its code and full reason; empty without any. */
export function failuresText(outcomes: readonly Outcome[], display: OutputOptions): string {
  const failures = outcomes.filter(leavesRunIncomplete);
  if (failures.length === 0) return "";
  const rows = sortByKind(failures, ({ kind }) => kind).map((outcome) => [
    outcome.kind,
    nameOfOutcome(outcome),
    { text: resultWord(outcome), paint: display.theme.bad },
    outcome.code ?? "",
  ]);
  const columns = ["KIND", "NAME", "RESULT", "CODE"];
  // A table cuts long cells, so the full reasons follow below it, each once.
  return `${renderTable({ columns, rows }, display)}${linesText(reasonLines(failures, display.verbose === true), display)}\n`;
}

function resultWord({ action, status }: Pick<Outcome, "action" | "status">): string {
  if (action === "blocked") return "blocked";
  return status === "failed" ? "failed" : "unknown";
}

const WORDS: Readonly<Record<SourceProbe["status"], string>> = {
  data: "answers with data",
  empty: "answers, but has no data of the last 24 hours",
  failed: "fails",
  "not-asked": "was not queried: no tile of the target queries one of its metrics",
};

/** Renders the state of each probed source; empty if none was probed. */
export function probesText(probes: readonly SourceProbe[], { theme }: OutputOptions): string {
  if (probes.length === 0) return "";
  const lines = probes.map(({ name, targetId, status, message }) => {
    const paint =
      status === "data" ? theme.good : status === "empty" || status === "not-asked" ? theme.notice : theme.bad;
    const why = message === undefined ? "" : `: ${printableText(message)}`;
    return `  ${printableText(name || targetId)} ${paint(WORDS[status])}${why}\n`;
  });
  return `${theme.heading("sources")}\n${lines.join("")}`;
}

/** Maximum number of lines of details without `--verbose`: a screen in total, and MAX_INNER below one line. */
const MAX_LINES = 24;
const MAX_INNER = 8;
/** Maximum width of a line of details without a terminal. */
const MAX_WIDTH = 160;

const MARKS = { "+": "good", "-": "bad", "~": "notice", "!": "bad" } as const;

export function sectionText({ lines, next, isDetail = false }: ViewSection, display: OutputOptions): string {
  const visibleLines = isDetail && display.verbose !== true ? screenOf(lines) : lines;
  const hiddenCount = lines.length - visibleLines.length;
  const more = hiddenCount === 0 ? "" : `${moreText(hiddenCount)}\n`;
  return `${linesText(visibleLines, display, isDetail)}${more}${next === undefined ? "" : `${display.theme.heading(next)}\n`}`;
}

/** Takes lines until a screen is full, at least one. */
function screenOf(lines: readonly ViewLine[]): readonly ViewLine[] {
  let used = 0;
  const end = lines.findIndex(({ inner = [] }) => {
    used += 1 + Math.min(inner.length, MAX_INNER);
    return used > MAX_LINES;
  });
  return end === -1 ? lines : lines.slice(0, Math.max(1, end));
}

/** Renders lines with their marks, and the inner lines below each. */
export function linesText(lines: readonly ViewLine[], display: OutputOptions, isDetail = false): string {
  const { verbose = false, columns = MAX_WIDTH } = display;
  const rendered = lines.flatMap((line) => {
    const { inner = [] } = line;
    const visibleLines = verbose ? inner : inner.slice(0, MAX_INNER);
    const hiddenCount = inner.length - visibleLines.length;
    const innerText = visibleLines.map((innerLine) => {
      const text = `    ${markedText(innerLine)}`;
      return paintOf(innerLine, display.theme)(isDetail && !verbose ? fitText(text, columns) : text);
    });
    return [
      paintedLine(line, display.theme),
      ...innerText,
      ...(hiddenCount === 0 ? [] : [`    ${moreText(hiddenCount)}`]),
    ];
  });
  return rendered.map((line) => `${line}\n`).join("");
}

function markedText({ mark, text }: ViewLine): string {
  return mark === "" ? printableText(text) : `${mark} ${printableText(text)}`;
}

function paintedLine(line: ViewLine, theme: Theme): string {
  return line.mark === "" ? printableText(line.text) : `${paintOf(line, theme)(line.mark)} ${printableText(line.text)}`;
}

function paintOf({ mark }: ViewLine, theme: Theme): (text: string) => string {
  return mark === "" ? (text) => text : theme[MARKS[mark]];
}

function moreText(count: number): string {
  return `… and ${count} more (--verbose shows all)`;
}
