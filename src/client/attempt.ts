import type { StackError } from "../domain/errors.ts";
import type { LimitHeaders } from "./pacing/limit-headers.ts";

/**
 * Whether a failed try is worth another: `always` where the request surely was not carried out, `if-repeatable` where it may
 * have been, `never` where the next answer would be the same.
 */
export type Again = "never" | "if-repeatable" | "always";

/** A try that failed, judged. */
export interface Failure {
  readonly error: StackError;
  readonly again: Again;
  /** The server asked to wait that long before the next try, in milliseconds. */
  readonly waitMs?: number;
  /** There was no connection to send anything through. */
  readonly unconnected?: "unknown-host" | "refused";
}

/** What a try tells the pacer. */
export interface Heard {
  readonly status: number;
  readonly limits: LimitHeaders;
}

/** One try. `heard` is absent where no answer came; `ms` is the time from sending to the end of the answer. */
export type Attempt<T> = { readonly heard?: Heard; readonly ms: number } & (
  | { readonly ok: true; readonly value: T }
  | ({ readonly ok: false } & Failure)
);
