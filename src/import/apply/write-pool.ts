import pLimit from "p-limit";
import { StackError, StackferryError } from "../../core/errors.ts";

/**
 * The run is aborted (exit 6) after this many consecutive records on which the stack itself failed; each has already been retried.
 */
const MAX_FAILED_IN_A_ROW = 5;
/**
 * Writes in flight per allowed request: while one response is awaited, the next record is prepared and its intent is journalled.
 * The client itself limits the requests.
 */
const WRITES_PER_REQUEST = 2;
/** Codes of errors of the stack itself, as opposed to a refusal of the record. */
const STACK_FAILURES: readonly string[] = ["unavailable", "unreachable", "protocol"];
/** Codes of errors after which no other record could be written either. */
const FATAL_ERRORS: readonly string[] = [
  "unauthorized",
  "forbidden",
  "rate-limited",
  "interrupted",
  "archive-damaged",
  "archive-io",
  "journal",
];

export interface WritePoolOptions {
  readonly concurrency: number;
  /** `abort`: the first failure stops the run. */
  readonly onError: "continue" | "abort";
  readonly signal: AbortSignal | undefined;
}

/** How one write ended. */
export type WriteEnd =
  | { readonly status: "done" }
  | { readonly status: "not-started" }
  | { readonly status: "failed"; readonly error: StackferryError };

/** Runs writes, a limited number at a time, until the run has to stop. Writes that have begun by then are finished. */
export class WritePool {
  /** Why no new write is started. */
  stopped: StackferryError | undefined;
  #failedInARow = 0;
  readonly #options: WritePoolOptions;
  readonly #limit: ReturnType<typeof pLimit>;

  constructor(options: WritePoolOptions) {
    this.#options = options;
    this.#limit = pLimit(options.concurrency * WRITES_PER_REQUEST);
  }

  run(write: () => Promise<void>): Promise<WriteEnd> {
    return this.#limit(async () => {
      if (this.#options.signal?.aborted) this.stopped ??= new StackferryError("interrupted", "the run was interrupted");
      if (this.stopped) return { status: "not-started" };
      try {
        await write();
        this.#failedInARow = 0;
        return { status: "done" };
      } catch (error) {
        if (!(error instanceof StackferryError)) throw error;
        if (this.#mustStop(error)) this.stopped ??= error;
        return { status: "failed", error };
      }
    });
  }

  #mustStop(error: StackferryError): boolean {
    this.#failedInARow += STACK_FAILURES.includes(error.code) ? 1 : 0;
    if (this.#options.onError === "abort" || this.#failedInARow >= MAX_FAILED_IN_A_ROW) return true;
    // The client has already retried. If no request reached the stack, it stays out of reach. After a lost response, the next
    // request may work.
    const neverReached = error.code === "unreachable" && error instanceof StackError && error.failure.applied === "no";
    return neverReached || FATAL_ERRORS.includes(error.code);
  }
}
