import { getOrMake } from "../core/collections.ts";
import { StackferryError } from "../core/errors.ts";
import type { Warning } from "../core/outcome.ts";
import { pluralize } from "../core/text/format.ts";
import type { JournalReplay } from "../journal/replay.ts";

/** The runs of a journal to undo: the last run, the run with this number, or all runs. */
export type RunChoice = "last" | "all" | number;

/** Returns the numbers of the chosen runs. @throws StackferryError `usage` if there is no such run */
export function selectRuns({ runs }: Pick<JournalReplay, "runs">, choice: RunChoice): number[] {
  const numbers = runs.map(({ number }) => number);
  if (choice === "all") return numbers;
  if (choice === "last") return numbers.slice(-1);
  if (numbers.includes(choice)) return [choice];
  const message = `there is no run ${choice}: the journal has ${pluralize(numbers.length, "run")}`;
  throw new StackferryError("usage", message, { hint: "The runs are numbered from 1; --list shows them." });
}

/** Warns that other runs wrote the same records: undoing one run alone does not restore the state before all of them. */
export function warnOfOverlappingRuns({ writes }: Pick<JournalReplay, "writes">, chosen: readonly number[]): Warning[] {
  const others = new Map<number, { earlier: number; later: number }>();
  for (const of of writes.values()) {
    const first = of.findIndex(({ run }) => chosen.includes(run));
    if (first < 0) continue;
    for (const [index, { run }] of of.entries()) {
      if (chosen.includes(run)) continue;
      getOrMake(others, run, () => ({ earlier: 0, later: 0 }))[index < first ? "earlier" : "later"] += 1;
    }
  }
  return [...others]
    .toSorted(([a], [b]) => a - b)
    .flatMap(([run, { earlier, later }]) => [
      ...(earlier > 0 ? [{ code: "earlier-run", message: earlierText(run, earlier) }] : []),
      ...(later > 0 ? [{ code: "later-run", message: laterText(run, later) }] : []),
    ]);
}

function earlierText(run: number, count: number): string {
  return `run ${run} wrote ${count} of these records earlier: the rollback restores what that run wrote, not what was there before it (--run all undoes both)`;
}

function laterText(run: number, count: number): string {
  const are = count === 1 ? "is" : "are";
  return `run ${run}, which is not undone, later wrote ${count} of these records, which ${are} left alone (--run all undoes both)`;
}
