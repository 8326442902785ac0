import { StackferryError } from "../core/errors.ts";
import { pluralize } from "../core/text/format.ts";
import type { History, Run } from "../journal/fold.ts";

export interface JournalRun extends Run {
  readonly created: number;
  readonly updated: number;
  readonly deleted: number;
  /** Number of created, updated and deleted records of the run that no rollback has undone. */
  readonly notUndone: number;
}

/** Lists the runs of a journal that wrote something, or may have. */
export function runsOf({ runs, writesOf, isUndone, open }: History): JournalRun[] {
  return runs.flatMap((run) => {
    const writes = writesOf(run.number);
    const count = (action: string): number => writes.filter((write) => write.action === action).length;
    const notUndone = writes.filter(({ key }) => !isUndone(run.number, key)).length;
    const counts = { created: count("create"), updated: count("update"), deleted: count("delete"), notUndone };
    const isOpen = open.some((write) => write.run === run.number);
    return writes.length === 0 && !isOpen ? [] : [{ ...run, ...counts }];
  });
}

/** Returns the run that a rollback undoes unless the user names one: an interrupted rollback is finished, else the last import. */
export function lastRunToUndo(runs: readonly JournalRun[]): number | undefined {
  const last = runs.at(-1);
  if (last?.undoes !== undefined && last.result === "open") return last.undoes;
  return runs.findLast(({ undoes }) => undoes === undefined)?.number;
}

/** @throws StackferryError `usage` for a run that the journals of the target do not have */
export function refuseUnknownRun(runs: readonly JournalRun[], choice: number): void {
  if (runs.some(({ number }) => number === choice)) return;
  const message = `there is no run ${choice} on this stack: the journals have ${pluralize(runs.length, "run")} that wrote something`;
  throw new StackferryError("usage", message, { hint: "--list shows them" });
}
