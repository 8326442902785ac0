import type { RunContext, RunEvent } from "../core/events.ts";
import type { StackferryError } from "../core/errors.ts";
import type { Outcome, Warning } from "../core/outcome.ts";
import type { Journal } from "../core/plan/journal.ts";
import { applyPlan, type ApplyInput } from "../import/apply/apply-plan.ts";
import type { SettledHistory } from "../import/read/settle-open-writes.ts";
import { numberOfNextRun } from "../journal/fold.ts";
import { outcomesOfRollback, type PlannedRollback } from "./plan.ts";

export interface ApplyRollbackInput
  extends
    Pick<PlannedRollback, "plan" | "records" | "restored" | "bases" | "left" | "journalKeys">,
    Pick<ApplyInput, "client" | "clock" | "concurrency" | "consistencyWaitMs" | "fitLimits"> {
  readonly journal: Journal;
  readonly history: SettledHistory;
  readonly undoes: number;
  readonly highestRun: number;
}

export interface RollbackResult {
  readonly outcomes: readonly Outcome[];
  /** Warnings about what the target stored otherwise. */
  readonly warnings: readonly Warning[];
  readonly stopped?: StackferryError;
}

/** Undoes a run. The journal records each step under the key that the record has in the journal. */
export async function applyRollback(input: ApplyRollbackInput, context: RunContext): Promise<RollbackResult> {
  const { journal, left, bases, journalKeys, history, undoes, highestRun, clock } = input;
  const at = new Date(clock.now()).toISOString();
  await journal.append({ type: "begin", at, run: numberOfNextRun(history, undoes, highestRun), undoes });
  for (const entry of history.recovered) await journal.append(entry);
  for (const outcome of left) context.events({ type: "outcome", outcome });
  const events = (event: RunEvent): void => {
    if (event.type !== "outcome") return context.events(event);
    for (const outcome of outcomesOfRollback([event.outcome], input)) context.events({ ...event, outcome });
  };
  const applied = await applyPlan(
    {
      ...input,
      memory: {
        journal,
        bases,
        identify: (key) => journalKeys.get(key) ?? key,
        keepsChildren: true,
        formerNames: new Map(),
      },
    },
    { ...context, events },
  );
  const outcomes = [...outcomesOfRollback(applied.outcomes, input), ...left];
  return { outcomes, warnings: applied.warnings, ...(applied.stopped && { stopped: applied.stopped }) };
}
