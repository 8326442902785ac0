import type { Diff, MemberChange, NotCompared, RecordChange } from "../../core/diff.ts";
import type { JsonValue } from "../../core/json.ts";
import { compactJson } from "../../core/json.ts";
import { pluralize } from "../../core/text/plural.ts";
import { printable } from "../../core/text/printable.ts";
import { pluralOf } from "../../kinds/id-spaces.ts";
import { address } from "./inspect/archive.ts";
import type { ReportedFiles, ReportedStack } from "./document.ts";
import { fit } from "../../core/text/fit.ts";
import type { OutputOptions, Theme } from "./terminal/theme.ts";

/** Longer values are cut. `--json` has them whole, except for extremely long ones. */
const VALUE_WIDTH = 72;
/** Characters shown before the first difference of two long texts. */
const LEAD = 16;

const MARKS = { added: "+", removed: "-", changed: "~", moved: "~" } as const;

/** Renders a comparison in the form of a patch: both sides, the differences by kind, the counts last. */
export function diffText(diff: Diff, left: ReportedSide, right: ReportedSide, display: OutputOptions): string {
  const { theme } = display;
  const header = [`--- ${sideText(left)}`, `+++ ${sideText(right)}`].map((line) => `${theme.strong(line)}\n`).join("");
  const kinds = [...new Set(diff.changes.map(({ kind }) => kind))];
  const sections = kinds.map((kind) => {
    const changes = diff.changes.filter((change) => change.kind === kind);
    const records = changes.map((change) => recordText(withoutMadeUpIds(change, left, right), theme));
    return `\n${theme.heading(pluralOf(kind))}\n${records.join("")}`;
  });
  return [header, ...sections, `\n${countsText(diff)}\n`, ...diff.notCompared.map(notComparedText)].join("");
}

/** A side of a comparison: a stack, an archive of a stack, or code files. */
export type ReportedSide = ReportedStack | ReportedFiles;

function sideText(stack: ReportedSide): string {
  if ("files" in stack) return printable(`${stack.label} (files)`);
  return printable(`${stack.label} (${stack.variant}, ${address(stack)})`);
}

/** Omits the ids of records from files: they are generated and belong to no stack. */
function withoutMadeUpIds(
  { leftId, rightId, ...change }: RecordChange,
  left: ReportedSide,
  right: ReportedSide,
): RecordChange {
  return {
    ...change,
    ...(leftId !== undefined && !("files" in left) && { leftId }),
    ...(rightId !== undefined && !("files" in right) && { rightId }),
  };
}

function recordText(record: RecordChange, theme: Theme): string {
  const { change, name, displayName = "(no name)", leftId, rightId, ambiguous, members } = record;
  const ids = [...new Set([leftId, rightId])].filter((id) => id !== undefined).join(" → ");
  const why = ambiguous ? "; several on the right could be it" : "";
  const title = printable(`${MARKS[change]} ${name === "" ? displayName : `"${name}"`} ${ids}`.trimEnd() + why);
  return `${paintOf(change, theme)(title)}\n${members.map((member) => memberText(member, theme)).join("")}`;
}

function memberText({ pointer, change, from, to }: MemberChange, theme: Theme): string {
  const [before, after] = shown(from, to);
  const values = {
    added: `: ${after}`,
    removed: `: ${before}`,
    changed: `: ${before} → ${after}`,
    moved: ": in another order",
  };
  return `    ${paintOf(change, theme)(`${MARKS[change]} ${printable(pointer)}${values[change]}`)}\n`;
}

/** Cuts both values to a line. Long texts are also cut at the start, so that their first difference is visible. */
function shown(from: JsonValue | undefined, to: JsonValue | undefined): [string, string] {
  const [left, right] = [from, to].map((value) => (value === undefined ? "" : compactJson(value)));
  const [before, after] = [left ?? "", right ?? ""];
  let common = 0;
  while (common < before.length && before[common] === after[common]) common += 1;
  const skip = before.length > VALUE_WIDTH || after.length > VALUE_WIDTH ? Math.max(0, common - LEAD) : 0;
  const cut = (text: string): string =>
    fit(printable(`${skip === 0 ? "" : "…"}${text.slice(skip, skip + VALUE_WIDTH + 1)}`), VALUE_WIDTH);
  return [cut(before), cut(after)];
}

/** `1 added, 0 removed, 2 changed, 5 the same.` */
export function countsText({ changes, same }: Diff): string {
  const count = (change: RecordChange["change"]): number => changes.filter((each) => each.change === change).length;
  if (changes.length === 0) return `No difference: ${pluralize(same, "record")} the same.`;
  return `${count("added")} added, ${count("removed")} removed, ${count("changed")} changed, ${same} the same.`;
}

/** A line about a kind that could not be compared. */
export function notComparedText({ kind, side, reason }: NotCompared): string {
  const reasons = {
    failed: "could not be read completely",
    "not-offered": "are not listed there",
    "not-requested": "were not requested",
  };
  return printable(`Not compared: ${pluralOf(kind)}, which on the ${side} ${reasons[reason]}.`) + "\n";
}

function paintOf(change: MemberChange["change"], theme: Theme): (text: string) => string {
  if (change === "added") return theme.good;
  return change === "removed" ? theme.bad : theme.notice;
}
