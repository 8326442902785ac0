import type { Diff } from "../../core/diff.ts";
import { nounOf, pluralOf } from "../../kinds/nouns.ts";
import { kindTitle } from "../../report/html/parts.ts";
import { printableText } from "../../core/text/printable.ts";
import { changeLines, type ChangeDetail } from "../../report/view/changes.ts";
import { diffView, type DiffRow } from "../../report/view/diff.ts";
import type { ViewLine } from "../../report/view/sections.ts";
import { stackAddressOf } from "../../config/stacks/stack-address.ts";
import type { ReportedSide } from "./document.ts";
import { linesText } from "./outcomes.ts";
import { escapeMarkdown, markdownList, markdownSection } from "./markdown.ts";
import type { OutputOptions } from "./terminal.ts";

const MARKS = { added: "+", removed: "-", changed: "~" } as const;

/** Renders a comparison in the form of a patch: both sides, the differences by kind, the counts last. */
export function diffText(diff: Diff, left: ReportedSide, right: ReportedSide, display: OutputOptions): string {
  const { theme, verbose = false } = display;
  const detail = verbose ? "whole" : "short";
  const { sections, counts, notCompared } = diffView(diff);
  const header = [`--- ${sideText(left)}`, `+++ ${sideText(right)}`].map((line) => `${theme.strong(line)}\n`).join("");
  const kinds = sections.map(({ kind, rows }) => {
    const lines = rows.map((row) => {
      return diffLine(row, [quotedRowName(row), ...idsOf(row, left, right)].join(" "), detail);
    });
    // Lists every difference, because the user asked for them.
    return `\n${theme.heading(pluralOf(kind))}\n${linesText(lines, { ...display, verbose: true })}`;
  });
  return [header, ...kinds, `\n${counts}\n`, ...notCompared.map(({ text }) => `${printableText(text)}\n`)].join("");
}

/** Renders a comparison in Markdown: the counts, then by kind each record that differs, with its members that differ. */
export function diffMarkdown(diff: Diff, left: ReportedSide, right: ReportedSide): string {
  const { sections, counts, notCompared } = diffView(diff);
  const kinds = sections.map(({ kind, rows }) => {
    const lines = rows.map((row) => {
      const { leftId = "", rightId = leftId } = row.change;
      return diffLine(row, `${nounOf(kind)} "${row.name || rightId}"`, "short");
    });
    return markdownSection(kindTitle(kind), markdownList(lines));
  });
  const sides = `${escapeMarkdown(left.label)} → ${escapeMarkdown(right.label)}`;
  return [
    `**${escapeMarkdown(counts)}** ${sides}\n`,
    ...kinds,
    ...notCompared.map(({ text }) => `\n${escapeMarkdown(text)}\n`),
  ].join("");
}

/** Makes the line of a record that differs; below it, a line for each member that differs. */
export function diffLine({ change: { change, members }, note }: DiffRow, name: string, detail: ChangeDetail): ViewLine {
  const text = note === "" ? name : `${name}; ${note}`;
  return { mark: MARKS[change], text, inner: changeLines(members, detail) };
}

/** Returns the name of a record in quotes. For a record without a name, returns its display name without quotes. */
export function quotedRowName({ name, change }: DiffRow): string {
  if (name === "") return "(no name)";
  return change.name === "" ? name : `"${name}"`;
}

/** Leaves out ids of records from code files, because these ids are invented. */
function idsOf({ change: { leftId, rightId } }: DiffRow, left: ReportedSide, right: ReportedSide): string[] {
  const ids = [
    ...(leftId === undefined || "files" in left ? [] : [leftId]),
    ...(rightId === undefined || "files" in right ? [] : [rightId]),
  ];
  return ids.length === 0 ? [] : [[...new Set(ids)].join(" → ")];
}

function sideText(stack: ReportedSide): string {
  if ("files" in stack) return printableText(`${stack.label} (files)`);
  return printableText(`${stack.label} (${stack.variant}, ${stackAddressOf(stack)})`);
}
