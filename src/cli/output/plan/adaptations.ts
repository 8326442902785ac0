import type { PlanItem } from "../../../core/plan.ts";
import { printable } from "../../../core/text/printable.ts";
import { nounOf } from "../../../kinds/id-spaces.ts";
import { fit } from "../table.ts";
import type { OutputOptions } from "../theme.ts";

/** So many changes are shown; `--verbose` and `--json` have all of them. */
const MOST_SHOWN = 24;
/** A line is cut at this width where there is no terminal. */
const WIDEST = 160;

/** What `--adapt` changes in the records that are written: a line for each change, empty where it changes nothing. */
export function adaptationsText(
  items: readonly PlanItem[],
  { theme, verbose, columns = WIDEST }: OutputOptions,
): string {
  const rows = adaptationRows(items);
  if (rows.length === 0) return "";
  const shown = verbose === true ? rows : rows.slice(0, MOST_SHOWN);
  const lines = shown.map(([record, member, change]) => {
    const line = printable(`  ${record} ${member}: ${change}`);
    return verbose === true ? line : fit(line, columns);
  });
  const left = rows.length - shown.length;
  const more = left === 0 ? [] : [`  … and ${left} more (--verbose shows all)`];
  const title = theme.heading("adapted, as the API refuses what its own answers show:");
  return `${[title, ...lines, ...more].join("\n")}\n\n`;
}

/** Each change as cells of a table: the record, the member, what is written. */
export function adaptationRows(items: readonly PlanItem[]): (readonly [string, string, string])[] {
  const written = items.filter(({ action }) => action === "create" || action === "update");
  return written.flatMap(({ kind, name, sourceId, adaptations = [] }) =>
    adaptations.map(
      ({ pointer, change }) => [`${nounOf(kind)} "${name === "" ? sourceId : name}"`, pointer, change] as const,
    ),
  );
}
