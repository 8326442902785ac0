import type { RunContext, RunEvent } from "../core/events.ts";
import type { StackferryError } from "../core/errors.ts";
import type { Outcome, Warning } from "../core/outcome.ts";
import type { Journal, JournalEntry } from "../core/plan/journal.ts";
import type { RecordKey } from "../core/records/record.ts";
import { applyPlan, type ApplyInput } from "../import/apply/apply-plan.ts";
import { itemKey } from "../core/plan/plan.ts";
import { willWrite } from "../import/plan/decide/decision.ts";
import { plannedDeletes } from "../import/remove/mirror.ts";
import { outcomesOfRollback, type PlannedRollback } from "./plan.ts";

export interface ApplyRollbackInput
  extends
    Pick<PlannedRollback, "plan" | "records" | "restored" | "again" | "left" | "journalKeys">,
    Pick<ApplyInput, "client" | "journal" | "clock" | "concurrency" | "consistencyWaitMs" | "fitLimits" | "graceMs"> {
  /** Numbers of the runs to undo. The journal records these numbers, so that the writes of other runs still count. */
  readonly runs: readonly number[];
}

export interface RollbackResult {
  readonly outcomes: readonly Outcome[];
  /** Warnings about what the target stored otherwise. */
  readonly warnings: readonly Warning[];
  readonly stopped?: StackferryError;
}

/** Undoes runs of an import. The journal records each step as one of the rollback, so that an interrupted rollback can be resumed. */
export async function applyRollback(input: ApplyRollbackInput, context: RunContext): Promise<RollbackResult> {
  const { plan, journal, clock, runs, left } = input;
  for (const outcome of left) context.events({ type: "outcome", outcome });
  if (plan.items.some(willWrite) || plannedDeletes(plan).length > 0) {
    await journal.append({ type: "rollback", at: new Date(clock.now()).toISOString(), undoes: runs });
  }
  const events = (event: RunEvent): void => {
    if (event.type !== "outcome") return context.events(event);
    for (const outcome of outcomesOfRollback([event.outcome], input)) context.events({ ...event, outcome });
  };
  const applied = await applyPlan(
    {
      ...input,
      journal: journalOfRollback(journal, input),
      naming: { tags: [] },
      onError: "continue",
      verify: true,
      restoredBy: "the next rollback of the journal tries to create it again",
    },
    { ...context, events },
  );
  const outcomes = [...outcomesOfRollback(applied.outcomes, input), ...left];
  return { outcomes, warnings: applied.warnings, ...(applied.stopped && { stopped: applied.stopped }) };
}

/**
 * Makes a journal that records the writes of an import as writes of a rollback, under the keys that the records have in the
 * journal. A rollback has no `end` entry of its own, and no bodies: no rollback undoes a rollback.
 */
function journalOfRollback(journal: Journal, { plan, journalKeys }: ApplyRollbackInput): Journal {
  const unlinked = new Set(plan.items.flatMap((item) => (item.linksTo.length > 0 ? [itemKey(item)] : [])));
  const append = async (entry: JournalEntry): Promise<void> => {
    for (const undo of undoEntries(entry, journalKeys)) await journal.append(undo);
    // A second line says that the created record has all its links.
    const isComplete = entry.type === "done" && entry.write === "create" && !unlinked.has(entry.key);
    if (isComplete) await journal.append({ ...entry, write: "restore" });
  };
  return { ...journal, entries: journal.entries, append };
}

function undoEntries(entry: JournalEntry, keys: ReadonlyMap<RecordKey, readonly RecordKey[]>): JournalEntry[] {
  if (entry.type === "end") return [];
  if (entry.type !== "intent" && entry.type !== "done" && entry.type !== "refused") return [entry];
  const write = entry.write === "remove" ? "delete" : "restore";
  const [key = entry.key, ...others] = keys.get(entry.key) ?? [];
  if (entry.type === "intent") {
    const { previous: _previous, content, ...intent } = entry;
    // The content of a deleted record would make the next run take the record for one that the delete has left.
    return [{ ...intent, key, write, ...(write === "restore" && content !== undefined && { content }) }];
  }
  // Several records of an archive may have been written to one record of the target.
  return [key, ...(entry.type === "done" ? others : [])].map((each) => ({ ...entry, key: each, write }));
}
