import { StackError } from "../core/errors.ts";
import { interruptionError, type Failure } from "./failures.ts";
import type { ClientSettings } from "./options.ts";
import type { StackRequest } from "./request.ts";

export interface RetryOptions extends Pick<ClientSettings, "retryBudgetMs" | "clock" | "random" | "events"> {
  readonly delayMs: () => number;
  readonly wasReached: () => boolean;
}

/** Throws the operation's error if no further attempt may follow. */
export type PauseAfterFailure = (failure: FailedAttempt) => Promise<void>;

type FailedAttempt = Failure & { readonly ms: number };

export type Retry = (request: StackRequest, signal: AbortSignal | undefined) => PauseAfterFailure;

const BASE_MS = 250;
const MAX_PAUSE_MS = 15_000;
/** Up to this number of 429s, a wait that a 429 states does not count against the budget. */
const MAX_UNCOUNTED_WAITS = 10;
/** The budget is short for a stack that has never responded: the address is probably wrong. */
const FIRST_CONTACT_MS = 10_000;

/** A create whose response was lost fails at once, because a second create may make a duplicate. */
export function createRetry(options: RetryOptions): Retry {
  const { retryBudgetMs, clock, random, events, delayMs, wasReached } = options;
  return (request, signal) => {
    const { method, path, repeatable } = request;
    let tries = 0;
    let failingMs = 0;
    let limited = 0;
    let mayBeApplied = false;
    return async (failure) => {
      const { error: latest, ms } = failure;
      tries += 1;
      mayBeApplied ||= latest.failure.applied === "unknown";
      const error = mayBeApplied ? withResultUnknown(latest) : latest;
      const isUnreached = failure.connectionFailure !== undefined && !wasReached();
      if (!mayBeRepeated(failure, repeatable, isUnreached)) throw error;
      const isLimit = error.code === "rate-limited";
      if (isLimit) limited += 1;
      const backoffMs = random() * Math.min(MAX_PAUSE_MS, BASE_MS * 2 ** (tries - 1));
      // After a 429, the pacer delays the next attempt.
      const pauseMs = isLimit ? 0 : pauseMsAfter(failure, backoffMs);
      const inMs = isLimit ? delayMs() : pauseMs;
      if (!isLimit || failure.waitMs === undefined || limited > MAX_UNCOUNTED_WAITS) {
        failingMs += ms + inMs;
        const budgetMs = isUnreached ? Math.min(retryBudgetMs, FIRST_CONTACT_MS) : retryBudgetMs;
        if (isHopeless(failure, tries, failingMs, budgetMs)) throw gaveUp(error, tries, failingMs - inMs);
      }
      if (signal?.aborted) throw interruptedError(error, signal);
      events({ type: "retry", method, path, reason: reasonOf(latest), inMs });
      await clock.sleep(pauseMs, signal).catch(() => {
        if (signal?.aborted) throw interruptedError(error, signal);
      });
    };
  };
}

function mayBeRepeated({ retry, connectionFailure }: Failure, repeatable: boolean, isUnreached: boolean): boolean {
  if (isUnreached && (connectionFailure === "unknown-host" || connectionFailure === "not-http")) return false;
  return retry === "always" || (retry === "if-repeatable" && repeatable);
}

function isHopeless({ maxTries = Infinity }: Failure, tries: number, failingMs: number, budgetMs: number): boolean {
  return failingMs >= budgetMs || tries >= maxTries;
}

function pauseMsAfter({ error, waitMs = 0, ms }: FailedAttempt, backoffMs: number): number {
  // A write without a response may still run, and two updates at once may overwrite each other (docs/api.md#dashboards).
  // So the pause is at least as long as the attempt.
  const underWayMs = error.failure.applied === "unknown" ? ms : 0;
  return Math.max(waitMs, backoffMs, underWayMs);
}

/** A refused repetition does not prove that an earlier attempt without a response failed. */
function withResultUnknown(error: StackError): StackError {
  const { failure } = error;
  if (failure.applied === "unknown") return error;
  return new StackError(error.code, error.message, { ...failure, applied: "unknown" });
}

function interruptedError(error: StackError, signal: AbortSignal): Error {
  const { method, path, applied } = error.failure;
  return applied === "unknown" ? error : interruptionError(signal, `${method} ${path} was not sent again`);
}

function gaveUp(error: StackError, tries: number, failingMs: number): StackError {
  if (tries === 1) return error;
  const seconds = Math.ceil(failingMs / 1000);
  const message = `${error.message} (gave up after ${tries} tries in ${seconds} s)`;
  return new StackError(error.code, message, error.failure);
}

function reasonOf({ code, message, failure }: StackError): string {
  if (code === "rate-limited") return "the stack's limit was reached (429)";
  return failure.status === undefined || code === "protocol" ? message : `the stack answered ${failure.status}`;
}
