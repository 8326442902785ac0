import { StackError } from "../domain/errors.ts";
import type { EventSink } from "../domain/events.ts";
import type { Clock } from "../domain/ports.ts";
import type { Attempt } from "./attempt.ts";
import { interruption } from "./interruption.ts";
import type { StackRequest } from "./stack-request.ts";

export interface RetryOptions {
  /** How long one operation may go on failing, in milliseconds. */
  readonly patienceMs: number;
  readonly clock: Clock;
  readonly random: () => number;
  readonly events: EventSink;
  /** How long the pacer holds the next try after a 429, in milliseconds. */
  readonly heldForMs: () => number;
  /** Whether the stack has ever answered, whatever it said; taken as true without it. */
  readonly hasAnswered?: () => boolean;
}

/** Tries again while that can help and harm nothing. */
export type Retry = <T>(
  request: StackRequest,
  signal: AbortSignal | undefined,
  tryOnce: () => Promise<Attempt<T>>,
) => Promise<T>;

type FailedAttempt = Extract<Attempt<unknown>, { ok: false }>;

const BASE_MS = 250;
const CAP_MS = 15_000;
/** Waits of a known end are no failure of the stack, unless they never lead anywhere. */
const FREE_WAITS = 10;
/** So long a stack that has never answered is waited for: a wrong address is likelier there than a stack that restarts. */
const FIRST_CONTACT_MS = 10_000;

/**
 * Backs off exponentially with full jitter. A create is sent again only where it surely was not carried out (429, no
 * connection): a lost answer surfaces at once with `applied` "unknown", because sending it twice may make two.
 */
export function createRetry(options: RetryOptions): Retry {
  const { patienceMs, clock, random, events, heldForMs, hasAnswered = () => true } = options;
  return async (request, signal, tryOnce) => {
    const { method, path, repeatable } = request;
    let failingMs = 0;
    let limited = 0;
    let maybeApplied = false;
    for (let tries = 1; ; tries += 1) {
      const attempt = await tryOnce();
      if (attempt.ok) return attempt.value;
      const { again, ms, waitMs, unconnected } = attempt;
      maybeApplied ||= attempt.error.failure.applied === "unknown";
      const error = maybeApplied ? asLost(attempt.error) : attempt.error;
      const isStranger = unconnected !== undefined && !hasAnswered();
      if (isStranger && unconnected === "unknown-host") throw error;
      if (again === "never" || (again === "if-repeatable" && !repeatable)) throw error;
      const isLimit = error.code === "rate-limited";
      limited += isLimit ? 1 : 0;
      const pauseMs = isLimit ? 0 : Math.max(waitMs ?? 0, random() * Math.min(CAP_MS, BASE_MS * 2 ** (tries - 1)));
      const inMs = isLimit ? heldForMs() : pauseMs;
      const excused = isLimit && waitMs !== undefined && limited <= FREE_WAITS;
      failingMs += excused ? 0 : ms + inMs;
      const patience = isStranger ? Math.min(patienceMs, FIRST_CONTACT_MS) : patienceMs;
      if (!excused && failingMs >= patience) throw gaveUp(error, tries, failingMs - inMs);
      if (signal?.aborted) throw stopped(error, signal);
      events({ type: "retry", method, path, reason: reasonOf(attempt), inMs });
      await clock.sleep(pauseMs, signal).catch(() => {
        if (signal?.aborted) throw stopped(error, signal);
      });
    }
  };
}

/** A refusal says nothing of the tries before it: if one of them lost its answer, the write may have been carried out. */
function asLost(error: StackError): StackError {
  const { failure } = error;
  if (failure.applied === "unknown") return error;
  return new StackError(error.code, error.message, { ...failure, applied: "unknown" });
}

/** A write whose result is unknown must be told of as such, also to someone who is in a hurry. */
function stopped(error: StackError, signal: AbortSignal): Error {
  const { method, path, applied } = error.failure;
  return applied === "unknown" ? error : interruption(signal, `${method} ${path} was not sent again`);
}

function gaveUp(error: StackError, tries: number, failingMs: number): StackError {
  if (tries === 1) return error;
  const seconds = Math.ceil(failingMs / 1000);
  const message = `${error.message} (gave up after ${tries} tries in ${seconds} s)`;
  return new StackError(error.code, message, error.failure);
}

function reasonOf({ error, heard }: FailedAttempt): string {
  if (error.code === "rate-limited") return "the stack's limit was reached (429)";
  return heard === undefined ? error.message : `the stack answered ${heard.status}`;
}
