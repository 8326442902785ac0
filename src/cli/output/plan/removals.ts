import { joinNames } from "../../../core/text/plural.ts";
import { groupBy } from "../../../core/collections.ts";
import type { Plan } from "../../../core/plan/plan.ts";
import type { Removal } from "../../../core/plan/removal.ts";
import { printable } from "../../../core/text/printable.ts";
import { deletesOf } from "../../../import/remove/max-delete.ts";
import { nounOf } from "../../../kinds/id-spaces.ts";
import type { OutputOptions } from "../terminal/theme.ts";

/** Maximum number of names per kind; `--verbose` and `--json` have all of them. */
const MAX_NAMES_SHOWN = 20;

/** The records to delete, a line for each kind; empty if there are none. */
export function removalsText(plan: Plan, { theme, verbose = false }: OutputOptions): string {
  const lines = [...groupBy(deletesOf(plan), ({ kind }) => kind)].map(([kind, removals]) => {
    const names = joinNames(removals, verbose ? removals.length : MAX_NAMES_SHOWN, nameOfRemoval);
    const what = `${removals.length} ${removals.length === 1 ? nounOf(kind) : kind}`;
    return `${theme.bad("-")} ${printable(`${what} to delete: ${names}`)}\n`;
  });
  return lines.length === 0 ? "" : `${lines.join("")}\n`;
}

/** The record's name on the target, else its id. */
function nameOfRemoval({ name, targetId }: Removal): string {
  return name === "" ? targetId : name;
}

/** The records that a mirror does not delete because they are still used, each with the reason. */
export function keptText({ mirror }: Plan, { theme }: OutputOptions): string {
  const kept = mirror?.removals.filter(({ action }) => action === "blocked") ?? [];
  const lines = kept.map((removal) => {
    const { kind, message = "" } = removal;
    return `${theme.bad("!")} ${printable(`${nounOf(kind)} "${nameOfRemoval(removal)}" is not deleted: ${message}`)}\n`;
  });
  return lines.join("");
}
