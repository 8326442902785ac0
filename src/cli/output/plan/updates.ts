import { groupBy } from "../../../core/collections.ts";
import type { Outcome } from "../../../core/outcome.ts";
import { nameOrId } from "../../../core/outcome.ts";
import type { PlanItem } from "../../../core/plan/plan.ts";
import { pluralize, joinNames } from "../../../core/text/plural.ts";
import { printable } from "../../../core/text/printable.ts";
import { nounOf } from "../../../kinds/id-spaces.ts";
import { fit } from "../../../core/text/fit.ts";
import type { OutputOptions } from "../terminal/theme.ts";
import type { ChangeLine } from "../../../report/view/changes.ts";
import { changeLines } from "../../../report/view/changes.ts";

/** Maximum number of lines without `--verbose`: a screen in total, and RECORD_LINES for one record. */
const SCREEN_LINES = 24;
const RECORD_LINES = 8;
/** Maximum width of a line without a terminal. */
const MAX_WIDTH = 160;

/** The changes that the updates of a plan make, cut to a screen; `--verbose` shows all of them. Empty if nothing is updated. */
export function updatesText(items: readonly PlanItem[], display: OutputOptions): string {
  const updates = items.filter(({ action, changes }) => action === "update" && changes !== undefined);
  const whole = display.verbose === true;
  const blocks: string[][] = [];
  let used = 0;
  for (const item of updates) {
    const block = blockOf(item, display);
    if (!whole && blocks.length > 0 && used + block.length > SCREEN_LINES) break;
    blocks.push(block);
    used += block.length;
  }
  const left = updates.length - blocks.length;
  const more = left === 0 ? [] : [moreText(`${left} more ${left === 1 ? "update" : "updates"}`)];
  const lines = [...blocks.flat(), ...more];
  return lines.length === 0 ? "" : `${lines.join("\n")}\n\n`;
}

function blockOf(item: PlanItem, display: OutputOptions): string[] {
  const { kind, targetName, changes = [] } = item;
  const { theme, verbose = false } = display;
  const there = targetName === undefined ? "" : `, which is "${targetName}" on the target`;
  const title = printable(`~ ${nounOf(kind)} "${nameOrId(item)}"${there}`);
  const lines = changeLines(changes, verbose);
  const shown = verbose ? lines : lines.slice(0, RECORD_LINES);
  const left = lines.length - shown.length;
  return [
    theme.notice(title),
    ...(lines.length === 0 ? ["    only in what is not shown: secrets, or the ids of tiles"] : []),
    ...shown.map((line) => lineText(line, display)),
    ...(left === 0 ? [] : [`    ${moreText(`${left} more`)}`]),
  ];
}

function lineText({ mark, text }: ChangeLine, { theme, verbose = false, columns = MAX_WIDTH }: OutputOptions): string {
  const line = verbose ? `    ${mark} ${text}` : fit(`    ${mark} ${text}`, columns);
  return { "+": theme.good, "-": theme.bad, "~": theme.notice }[mark](line);
}

function moreText(what: string): string {
  return `… and ${what} (--verbose shows all)`;
}

/** The origin of the content that the target has now. */
export type Writer = "backup's" | "files'" | "source's";

/** The records of the target that a run has overwritten, a line for each kind; empty if there are none. */
export function writtenOverText(outcomes: readonly Outcome[], whose: Writer, { theme }: OutputOptions): string {
  // Adding a link to a record that an earlier run created overwrites nobody's work.
  const updated = outcomes.filter(
    ({ action, status, code }) => action === "update" && status === "done" && code !== "finish-links",
  );
  const lines = [...groupBy(updated, ({ kind }) => kind)].map(([kind, group]) => {
    const what = `${pluralize(group.length, nounOf(kind))} ${group.length === 1 ? "was" : "were"} overwritten with the ${whose}`;
    return `${theme.notice("~")} ${printable(`${what}: ${joinNames(group, group.length, nameHereAndThere)}`)}\n`;
  });
  return lines.join("");
}

function nameHereAndThere(outcome: Outcome): string {
  const { targetName } = outcome;
  return targetName === undefined ? nameOrId(outcome) : `${nameOrId(outcome)} ("${targetName}" there)`;
}

/** The records of the target that are overwritten although they have another name: listed, because nobody expects these. */
export function overwrittenText(items: readonly PlanItem[], { theme, verbose = false }: OutputOptions): string {
  const renamed = items.filter(({ action, targetName }) => action === "update" && targetName !== undefined);
  const shown = verbose ? renamed : renamed.slice(0, SCREEN_LINES);
  const lines = shown.map((item) => {
    const what = `the ${nounOf(item.kind)} "${nameOrId(item)}" overwrites "${item.targetName}" (${item.targetId}) on the target`;
    return `${theme.notice("!")} ${printable(what)}\n`;
  });
  const left = renamed.length - shown.length;
  return [...lines, ...(left === 0 ? [] : [`${moreText(`${left} more that overwrite another name`)}\n`])].join("");
}
