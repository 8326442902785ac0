import type { JournalEntry } from "../core/plan/journal.ts";
import { foldJournal, targetOf } from "./fold.ts";

/** A compaction keeps at least this many runs with writes, so a rollback can undo them. */
const RUNS_KEPT = 20;

/** A compaction waits for this many more runs, so that not every run rewrites the journal. */
const SPARE_RUNS = 20;

/** Replaces the oldest runs by the bases of their records. Undefined if the journal stays as it is. */
export function compactJournal(entries: readonly JournalEntry[]): readonly JournalEntry[] | undefined {
  const { runs, writesOf } = foldJournal(entries);
  const wrote = runs.filter(({ number }) => writesOf(number).length > 0);
  if (wrote.length <= RUNS_KEPT + SPARE_RUNS) return undefined;
  const undone = new Map(runs.map(({ number, undoes }) => [number, undoes ?? number]));
  // A rollback needs the run that it undid, and all runs in between.
  const oldestNeeded = (from: number): number => {
    const needed = Math.min(
      from,
      ...runs.filter(({ number }) => number >= from).map(({ number }) => undone.get(number) ?? number),
    );
    return needed < from ? oldestNeeded(needed) : from;
  };
  const oldest = oldestNeeded(wrote.at(-RUNS_KEPT)?.number ?? 1);
  const start = entries.findIndex((entry) => entry.type === "begin" && entry.run === oldest);
  const [header] = entries;
  if (header?.type !== "journal" || start < 2) return undefined;
  const dropped = foldJournal(entries.slice(0, start));
  if (dropped.open.length > 0) return undefined;
  const bases = [...dropped.bases].map(([key, base]) => {
    const lastWrite = dropped.lastWrites.get(targetOf(key, base.targetId));
    return { type: "base", key, base, lastWrite } as const;
  });
  return [header, ...bases, ...entries.slice(start)];
}
