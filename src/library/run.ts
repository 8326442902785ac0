import { setMaxListeners } from "node:events";
import { StackferryError } from "../core/errors.ts";
import { ignoreEvents, type EventSink, type RunContext } from "../core/events.ts";
import type { Outcome } from "../core/outcome.ts";

/** The optional second argument of the library's functions. */
export interface RunOptions {
  /** Receives progress, warnings and outcomes as they happen. The function must not throw. */
  readonly onEvent?: EventSink;
  /** Ends the run with the code `interrupted` when the signal is aborted. Writes under way are completed first. */
  readonly signal?: AbortSignal;
}

/**
 * Runs a job with the caller's options. The job's own signal has an `interrupted` error as its reason, so that every layer reports
 * an abort with that code, whatever reason the caller gave.
 */
export async function withRun<T>(
  { onEvent = ignoreEvents, signal }: RunOptions,
  job: (context: RunContext) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  // Every request under way adds a listener to this signal, so Node's warning about many listeners is turned off.
  setMaxListeners(0, controller.signal);
  const abort = (): void => {
    const hint = "run it again to finish the rest; finished records stay as they are";
    controller.abort(new StackferryError("interrupted", "the run was aborted", { cause: signal?.reason, hint }));
  };
  if (signal?.aborted) abort();
  signal?.addEventListener("abort", abort, { once: true });
  try {
    controller.signal.throwIfAborted();
    return await job({ events: onEvent, signal: controller.signal });
  } finally {
    signal?.removeEventListener("abort", abort);
  }
}

/** The error of a run that ended early, after it had begun to write to a stack. It has the code of its cause. */
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
