import { StackferryError } from "../domain/errors.ts";
import { isIncomplete } from "../domain/outcome.ts";
import type { Outcome, Warning } from "../domain/outcome.ts";
import type { ApplyInput } from "./apply-input.ts";
import { ImportRun } from "./import-run.ts";
import type { JobContext } from "./job-context.ts";
import { verifyImport } from "./verify-import.ts";

/** What came of it. */
export interface ImportResult {
  /** One for each item of the plan. */
  readonly outcomes: readonly Outcome[];
  readonly warnings: readonly Warning[];
  /** Why the run ended before everything had been tried. */
  readonly stopped?: StackferryError;
}

/**
 * Carries out a plan. Every record is written as soon as what it needs is there; one failure stops only what needs it. The
 * journal is told how the run ended.
 */
export async function applyPlan(input: ApplyInput, context: JobContext): Promise<ImportResult> {
  const { journal, clock } = input;
  const run = new ImportRun(input, context);
  const result = await checked(await run.finishAll(), run, input, context);
  const ended = result.stopped ? "stopped" : result.outcomes.some(isIncomplete) ? "incomplete" : "complete";
  await journal.append({ type: "end", at: new Date(clock.now()).toISOString(), result: ended });
  return result;
}

async function checked(
  outcomes: readonly Outcome[],
  { stopped, warnings, translation }: ImportRun,
  input: ApplyInput,
  context: JobContext,
): Promise<ImportResult> {
  if (stopped) return { outcomes, warnings, stopped };
  if (!input.verify) return { outcomes, warnings };
  try {
    const check = await verifyImport({ ...input, outcomes, translation }, context);
    const known = new Set(warnings.map(({ message, pointer }) => `${message} ${pointer}`));
    const fresh = check.warnings.filter(({ message, pointer }) => !known.has(`${message} ${pointer}`));
    for (const warning of fresh) context.events({ type: "warning", warning });
    return { outcomes: check.outcomes, warnings: [...warnings, ...fresh] };
  } catch (error) {
    if (!(error instanceof StackferryError)) throw error;
    return { outcomes, warnings, stopped: error };
  }
}
