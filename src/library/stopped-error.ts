import { StackferryError } from "../core/errors.ts";
import type { Outcome } from "../core/outcome.ts";

/** A run that wrote to a stack and ended before everything had been tried. Its code is that of the error that stopped it. */
export class StoppedError extends StackferryError {
  /** One for each record of the plan; `planned` with the code `not-started` for those that were not reached. */
  readonly outcomes: readonly Outcome[];
  /** Journal to go on with, or to undo. */
  readonly journal: string | undefined;

  constructor(stopped: StackferryError, outcomes: readonly Outcome[], journal?: string) {
    super(stopped.code, stopped.message, { cause: stopped, hint: stopped.hint });
    this.name = "StoppedError";
    this.outcomes = outcomes;
    this.journal = journal;
  }
}
