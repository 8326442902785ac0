import { nameOrId } from "../../../core/outcome.ts";
import type { PlanItem } from "../../../core/plan/plan.ts";
import { printable } from "../../../core/text/printable.ts";
import { nounOf } from "../../../kinds/id-spaces.ts";
import { fit } from "../../../core/text/fit.ts";
import type { OutputOptions } from "../terminal/theme.ts";
import { changeLines } from "../../../report/view/changes.ts";

/** Maximum number of lines for one record; `--verbose` and `--json` have all of them. */
const MAX_SHOWN = 8;
/** Maximum width of a line without a terminal. */
const MAX_WIDTH = 160;

/** The changes on the target since the last import, and those of the source, so that nobody's work is lost unnoticed. */
export function conflictsText(items: readonly PlanItem[], display: OutputOptions): string {
  return items.flatMap((item) => (item.since === undefined ? [] : blockOf(item, item.since, display))).join("");
}

function blockOf(item: PlanItem, since: NonNullable<PlanItem["since"]>, display: OutputOptions): string[] {
  const { theme, verbose = false, columns = MAX_WIDTH } = display;
  const lines = changeLines(item.changes ?? [], verbose);
  const shown = verbose ? lines : lines.slice(0, MAX_SHOWN);
  const left = lines.length - shown.length;
  const parts = [
    ...sideLines(since),
    // The changes of an update are listed with all updates.
    ...(item.action === "update" ? [] : shown.map(({ mark, text }) => `${mark} ${text}`)),
    ...(item.action === "update" || left === 0 ? [] : [`… and ${left} more (--verbose shows all)`]),
  ];
  const inner = parts.map((text) => (verbose ? `    ${printable(text)}` : fit(`    ${printable(text)}`, columns)));
  return [`${theme.notice("!")} ${printable(conflictTitle(item))}\n`, ...inner.map((line) => `${line}\n`), "\n"];
}

/** `conflict: dashboard "Checkout" was changed on both sides since the last import; the target's is kept` */
function conflictTitle(item: PlanItem): string {
  const { kind, targetName, action, since } = item;
  const there = targetName === undefined ? "" : ` (on the target: "${targetName}")`;
  const what = `${nounOf(kind)} "${nameOrId(item)}"${there}`;
  const both = since !== undefined && since.source.length > 0;
  const where = both ? "on both sides" : "on the target";
  const end = action === "update" ? "the source's overwrites it" : "the target's is kept";
  return `${both ? "conflict: " : ""}${what} was changed ${where} since the last import; ${end}`;
}

/** The changed members, a line for each side. */
function sideLines({ source, target }: NonNullable<PlanItem["since"]>): string[] {
  return [
    ...(source.length === 0 ? [] : [`at the source: ${source.join(", ")}`]),
    ...(target.length === 0 ? [] : [`on the target: ${target.join(", ")}`]),
  ];
}
