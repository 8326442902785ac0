import { idsOf, namesOf } from "./names-of.ts";
import type { StackContent } from "./read-stack.ts";

/** Something that has to be true after a move. */
export interface Check {
  readonly what: string;
  readonly holds: boolean;
  /** What was found instead, a few examples. */
  readonly found: readonly string[];
}

const EXAMPLES = 3;

/** Compares what two stacks answer, after everything has been moved from one to the other. */
export function checkMove(source: StackContent, target: StackContent): Check[] {
  const before = namesOf(source);
  const after = namesOf(target);
  const answers = JSON.stringify(target);
  const left = idsOf(source).filter((id) => answers.includes(id));
  return [
    compare(`all ${before.dashboards.length} dashboards are there, by name`, before.dashboards, after.dashboards),
    compare(`all ${before.bindings.length} alerts watch the tile of the same name`, before.bindings, after.bindings),
    compare("every alert notifies the webhooks of the same names", before.notifications, after.notifications),
    compare("every tile reads the source of the same name", before.readings, after.readings),
    compare("every link leads to what has the same name", before.links, after.links),
    check("no id of the old stack is left in any answer of the new one", left),
  ];
}

/** A check that holds when nothing speaks against it. */
export function check(what: string, against: readonly string[]): Check {
  return { what, holds: against.length === 0, found: against.slice(0, EXAMPLES) };
}

function compare(what: string, expected: readonly string[], found: readonly string[]): Check {
  const missing = expected
    .filter((line) => count(expected, line) > count(found, line))
    .map((line) => `missing: ${line}`);
  const extra = found
    .filter((line) => count(found, line) > count(expected, line))
    .map((line) => `not expected: ${line}`);
  return check(what, [...missing, ...extra]);
}

function count(lines: readonly string[], wanted: string): number {
  return lines.filter((line) => line === wanted).length;
}
