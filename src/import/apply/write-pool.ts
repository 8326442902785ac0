import pLimit from "p-limit";
import { StackError, StackferryError } from "../../core/errors.ts";

/** So many records in a row, each sent several times, that a stack fails on: it keeps failing, and the run ends (exit 6). */
const MAX_FAILED_IN_A_ROW = 5;
/**
 * So many records are under way for each request that may be: while one response is awaited, the next record is prepared and
 * its intent is written to the journal. The client limits the requests themselves.
 */
const WRITES_PER_REQUEST = 2;
/** Errors that say that the stack failed, not that it did not like the record. */
const STACK_FAILURES: readonly string[] = ["unavailable", "unreachable", "protocol"];
/** Errors after which no other record could be written. */
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
  /** Why no more writes are begun. */
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
    // The client has repeated the request already. Only a lost response says nothing about the next request.
    const neverReached = error.code === "unreachable" && error instanceof StackError && error.failure.applied === "no";
    return neverReached || FATAL_ERRORS.includes(error.code);
  }
}
