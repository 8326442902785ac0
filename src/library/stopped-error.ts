import { StackferryError } from "../core/errors.ts";
import type { Outcome } from "../core/outcome.ts";

/** A run that wrote to a stack and ended before every record was tried. Its code is that of the error that stopped it. */
export class StoppedError extends StackferryError {
  /** One outcome per record of the plan; `planned` with the code `not-started` for records that were not reached. */
  readonly outcomes: readonly Outcome[];
  /** Journal from which the run can be resumed or undone. */
  readonly journal: string | undefined;

  constructor(cause: StackferryError, outcomes: readonly Outcome[], journal?: string) {
    super(cause.code, cause.message, { cause, hint: cause.hint });
    this.name = "StoppedError";
    this.outcomes = outcomes;
    this.journal = journal;
  }
}
