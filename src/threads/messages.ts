import type { SentError } from "./sent-error.ts";

/** What threads of a pool do. All of it is plain data, as it goes from thread to thread. */
export interface Work {
  /** What each thread is given when it begins. */
  readonly data: unknown;
  readonly task: unknown;
  readonly answer: unknown;
}

/** What a thread is asked. */
export interface Asked<W extends Work> {
  readonly number: number;
  readonly task: W["task"];
}

/** What it says to that. */
export type Said<W extends Work> =
  | { readonly number: number; readonly answer: W["answer"] }
  | { readonly number: number; readonly error: SentError };
