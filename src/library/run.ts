import { setMaxListeners } from "node:events";
import { StackferryError } from "../core/errors.ts";
import { ignoreEvents, type EventSink, type RunContext } from "../core/events.ts";
import type { Outcome } from "../core/outcome.ts";

/** The optional second argument of the library's functions. */
export interface RunOptions {
  /** Receives progress, warnings and outcomes as they happen. Must not throw. */
  readonly onEvent?: EventSink;
  /** Ends the run with the code `interrupted`, after the writes in flight. */
  readonly signal?: AbortSignal;
}

/** The job's signal has an `interrupted` error as its reason, whatever reason the caller gave. */
export async function withRun<T>(
  { onEvent = ignoreEvents, signal }: RunOptions,
  job: (context: RunContext) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  // Every request in flight adds a listener, and Node warns about many listeners.
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

/** The error of a run that ended after it had begun to write. Its code is the code of the cause. */
export class StoppedError extends StackferryError {
  /** One outcome per record of the plan. Records that were not reached are `planned`, with the code `not-started`. */
  readonly outcomes: readonly Outcome[];
  /** Path of the journal, from which the run can be resumed or undone. */
  readonly journal: string | undefined;

  constructor(cause: StackferryError, outcomes: readonly Outcome[], journal?: string) {
    super(cause.code, cause.message, { cause, hint: cause.hint });
    this.name = "StoppedError";
    this.outcomes = outcomes;
    this.journal = journal;
  }
}
