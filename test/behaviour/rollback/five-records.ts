import { expect } from "vitest";
import { board, dependencies, fromOtherStack, update, usualTarget } from "../../support/import-samples.ts";
import { importStage, type JournalEntry } from "../../support/import-stage.ts";
import type { MirrorStage } from "../../support/mirror-stage.ts";
import {
  foldJournal,
  rollBackJournal,
  runsOf,
  type RollbackRun,
  type RollbackRunOptions,
} from "../../support/rollback-runs.ts";
import { alert, archiveIds, dashboard, hexId, records, targetIds } from "../../support/stack-records.ts";

/** A dashboard of the target's own, which the import of `fiveRecords` updates. */
export const theirBoard = dashboard(hexId("b", 18), "Board 18", targetIds.source, { tags: ["theirs"] });

const boards = [16, 17, 18].map((number) => board(number, { tags: ["ours"] }));
const alerts = boards
  .slice(0, 2)
  .map((on, index) => alert(hexId("a", 32 + index), `Alert ${index}`, on, archiveIds.webhook));

/** An archive of three dashboards, and of alerts on the first two. */
export const fiveRecords = records({ dashboards: boards, alerts, ...dependencies.ours });

/** The options of an import from another stack that updates what differs. */
export const overwriting = { ...update, ...fromOtherStack };

/** Imports five records: creates four, and updates the target's own dashboard. */
export async function importFive(): Promise<MirrorStage> {
  const stack = usualTarget({ dashboards: [theirBoard] });
  const stage = importStage(stack);
  expect((await stage.run(fiveRecords, overwriting)).exitCode).toBe(0);
  return { stack, stage };
}

/** Rolls a run back, and adds the entries of the rollback to the stage's journal. */
export async function undo({ stack, stage }: MirrorStage, options: RollbackRunOptions = {}): Promise<RollbackRun> {
  const run = await rollBackJournal(stack, stage.history, options);
  stage.history.push(...run.entries.slice(stage.history.length));
  return run;
}

/** Returns a line for each run of a journal: its number, and the number of the run that it undoes. */
export const runsIn = (entries: readonly JournalEntry[]): string[] =>
  foldJournal(entries).runs.map(({ number, undoes }) =>
    undoes === undefined ? `${number}` : `${number} undoes ${undoes}`,
  );

/** Returns, for each import of a journal, how many of its writes no rollback has undone. */
export const notUndoneIn = (entries: readonly JournalEntry[]): number[] =>
  runsOf(foldJournal(entries)).flatMap(({ undoes, notUndone }) => (undoes === undefined ? [notUndone] : []));
