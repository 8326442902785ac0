import type { JournalEntry } from "../core/plan/journal.ts";
import { splitKey } from "../core/records/record.ts";
import { foldedKey } from "../references/known-ids.ts";
import { foldJournal } from "./fold.ts";

/** Minimum number of runs with writes that a compaction keeps, so that they can still be undone. */
const RUNS_KEPT = 20;

/**
 * Number of runs with writes, beyond `RUNS_KEPT`, that a journal may have before it is compacted. Without this
 * allowance, every run would rewrite the journal.
 */
const SPARE_RUNS = 20;

/**
 * Replaces the oldest runs of a journal by the bases of their records. The kept runs stay line by line, so that each of them can
 * still be undone exactly. Returns undefined if the journal is short enough, or if an old run has an open write.
 */
export function compactJournal(entries: readonly JournalEntry[]): readonly JournalEntry[] | undefined {
  const { runs, writesOf } = foldJournal(entries);
  const wrote = runs.filter(({ number }) => writesOf(number).length > 0);
  if (wrote.length <= RUNS_KEPT + SPARE_RUNS) return undefined;
  const undone = new Map(runs.map(({ number, undoes }) => [number, undoes ?? number]));
  // A run that a kept rollback has undone stays, too, and so do all runs between this run and the rollback.
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
    const lastWrite = dropped.lastWrites.get(foldedKey(splitKey(key)[0], base.targetId));
    return { type: "base", key, base, lastWrite } as const;
  });
  return [header, ...bases, ...entries.slice(start)];
}
