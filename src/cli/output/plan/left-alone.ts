import { counted, listed } from "../../../core/text/plural.ts";
import { groupBy } from "../../../core/collections.ts";
import type { Outcome } from "../../../core/outcome.ts";
import { isLeftAlone, nameOrId } from "../../../core/outcome.ts";
import { printable } from "../../../core/text/printable.ts";
import { nounOf } from "../../../kinds/id-spaces.ts";
import { inKindOrder } from "../../../kinds/registry.ts";
import type { OutputOptions } from "../terminal/theme.ts";

/** So many names of one kind and reason are shown; `--verbose` and `--json` have them all. */
const MOST_NAMED = 20;

/** What was left alone, by name and reason: a line for each kind and reason, empty where nothing was. */
export function leftAloneText(outcomes: readonly Outcome[], display: OutputOptions): string {
  const left = inKindOrder(outcomes.filter(isLeftAlone), ({ kind }) => kind);
  const groups = groupBy(left, ({ kind, code, message }) => `${kind}\n${code}\n${message}`);
  return [...groups.values()].map((group) => `${printable(lineOf(group, display.verbose === true))}\n`).join("");
}

function lineOf(group: readonly Outcome[], whole: boolean): string {
  const [{ kind, code, status, message } = {} as Partial<Outcome>] = group;
  const several = group.length > 1;
  const count = counted(group.length, nounOf(kind ?? ""));
  const names = listed(group, whole ? group.length : MOST_NAMED, nameOf);
  const was = status === "planned" ? (several ? "are" : "is") : several ? "were" : "was";
  const why = message ?? code;
  if (code !== "exists") return `${count} ${was} left alone: ${names}${why === undefined ? "" : ` (${why})`}`;
  const differs = several ? "differ" : "differs";
  return `${count} ${differs} on the target and ${was} left alone: ${names} (--on-conflict update overwrites ${several ? "them" : "it"})`;
}

function nameOf(outcome: Outcome): string {
  const { targetName } = outcome;
  const own = nameOrId(outcome);
  return targetName === undefined ? own : `${own} ("${targetName}" on the target)`;
}
