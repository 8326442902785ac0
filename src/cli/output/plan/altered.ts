import { nameOrId } from "../../../core/outcome.ts";
import type { AlteredMember, PlanItem } from "../../../core/plan/plan.ts";
import { printable } from "../../../core/text/printable.ts";
import { nounOf } from "../../../kinds/id-spaces.ts";
import { fit } from "../../../core/text/fit.ts";
import type { OutputOptions } from "../terminal/theme.ts";

/** Maximum number of changes shown; `--verbose` and `--json` have all of them. */
const MAX_SHOWN = 24;
/** Maximum width of a line without a terminal. */
const MAX_WIDTH = 160;

type Rows = readonly (readonly [string, string, string])[];

/** The differences between the records to write and the archive, a line for each; empty if there are none. */
export function alteredText(items: readonly PlanItem[], display: OutputOptions): string {
  const transformed = linesText(
    "changed on the way, as transforms of the target say:",
    transformedRows(items),
    display,
  );
  const fitted = linesText("fitted, as the API refuses what its own answers show:", fittedRows(items), display);
  return `${transformed}${fitted}`;
}

function linesText(title: string, rows: Rows, { theme, verbose, columns = MAX_WIDTH }: OutputOptions): string {
  if (rows.length === 0) return "";
  const shown = verbose === true ? rows : rows.slice(0, MAX_SHOWN);
  const lines = shown.map(([record, member, change]) => {
    const line = printable(`  ${record} ${member}: ${change}`);
    return verbose === true ? line : fit(line, columns);
  });
  const left = rows.length - shown.length;
  const more = left === 0 ? [] : [`  … and ${left} more (--verbose shows all)`];
  return `${[theme.heading(title), ...lines, ...more].join("\n")}\n\n`;
}

/** Each change by `--fit-limits` as table cells: the record, the member, the value to write. */
export function fittedRows(items: readonly PlanItem[]): Rows {
  return rowsOf(items, ({ fitted }) => fitted);
}

/** Each change by a transform, as the same cells. */
export function transformedRows(items: readonly PlanItem[]): Rows {
  return rowsOf(items, ({ transformed }) => transformed);
}

function rowsOf(items: readonly PlanItem[], changesOf: (item: PlanItem) => readonly AlteredMember[] | undefined): Rows {
  const written = items.filter(({ action }) => action === "create" || action === "update");
  return written.flatMap((item) => {
    const record = `${nounOf(item.kind)} "${nameOrId(item)}"`;
    return (changesOf(item) ?? []).map(({ pointer, change }) => [record, pointer, change] as const);
  });
}
