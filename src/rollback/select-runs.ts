import { StackferryError } from "../core/errors.ts";
import type { Warning } from "../core/outcome.ts";
import type { JournalReplay } from "../journal/replay.ts";

/** The runs of a journal to undo: the last one, the one of this number, or all of them. */
export type RunChoice = "last" | "all" | number;

/**
 * Returns the numbers of the chosen runs.
 * @throws StackferryError `usage` if there is no such run
 */
export function selectRuns({ runs }: Pick<JournalReplay, "runs">, choice: RunChoice): number[] {
  const numbers = runs.map(({ number }) => number);
  if (choice === "all") return numbers;
  if (choice === "last") return numbers.slice(-1);
  if (numbers.includes(choice)) return [choice];
  const has = numbers.length === 1 ? "1 run" : `${numbers.length} runs`;
  const hint = "The runs are numbered from 1; --list shows them.";
  throw new StackferryError("usage", `there is no run ${choice}: the journal has ${has}`, { hint });
}

/** Warns that other runs wrote the same records: undoing one run alone does not restore the state before all of them. */
export function overlapWarnings({ writes }: Pick<JournalReplay, "writes">, chosen: readonly number[]): Warning[] {
  const others = new Map<number, { earlier: number; later: number }>();
  for (const of of writes.values()) {
    const first = of.findIndex(({ run }) => chosen.includes(run));
    if (first < 0) continue;
    for (const [index, { run }] of of.entries()) {
      if (chosen.includes(run)) continue;
      const counts = others.get(run) ?? { earlier: 0, later: 0 };
      counts[index < first ? "earlier" : "later"] += 1;
      others.set(run, counts);
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
  const records = count === 1 ? "1 of these records" : `${count} of these records`;
  return `run ${run} wrote ${records} earlier: the rollback restores the content of that run, not the content before it (--run all undoes both)`;
}

function laterText(run: number, count: number): string {
  const records = count === 1 ? "1 of these records, which is" : `${count} of these records, which are`;
  return `run ${run}, which is not undone, later wrote ${records} left alone (--run all undoes both)`;
}
