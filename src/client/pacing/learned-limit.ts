import { pluralize } from "../../core/text/format.ts";
import type { Delay, Limit } from "./limit.ts";

/** The window that the managed service publishes (docs/api.md#limits: 10 requests per 10 s, no headers). */
const PUBLISHED_WINDOW_MS = 10_000;
const MAX_WINDOW_MS = 15 * 60_000;
/** Tolerance: a refusal within this time after the end of the assumed window does not prove that the window is longer. */
const WINDOW_MARGIN_MS = 1000;
/** Margin for the varying delay of responses, in milliseconds. */
const JITTER_MS = 100;
const MIN_DELAY_MS = 1000;
const MAX_DELAY_MS = 10_000;
/** Number of windows without a refusal after which the limit grows by one. */
const CALM_WINDOWS = 4;

/** The period from a refusal to the next request that the server accepts. */
interface Refusal {
  /** Start of the window in which the server refused. */
  readonly windowStart: number;
  readonly limitBefore: number;
  /** Requests that the server accepted in that window. */
  taken: number;
  count: number;
  blockedUntil: number;
  probing: boolean;
}

/**
 * Learns the limit of a server that sends 429 without stating its limit. After a refusal, nothing is sent for a while; then a
 * single request, the probe, is repeated until the server accepts it. From then on, the limit is the number of requests that the
 * server accepted in a window before the refusal; a later refusal at most halves the limit. The limit grows slowly while the server
 * refuses nothing. The server counts a request at some time between the request's start and its response, so the request counts
 * here from its start until one window after its response.
 */
export function createLearnedLimit(): Limit {
  let windowMs = PUBLISHED_WINDOW_MS;
  let limit = Infinity;
  let takenAt: number[] = [];
  let inFlight = 0;
  let calmSince = 0;
  let refusal: Refusal | undefined;
  let refusedAt = -Infinity;

  const prune = (now: number): void => {
    takenAt = takenAt.filter((at) => at > now - windowMs - JITTER_MS);
  };

  const measure = ({ taken, limitBefore }: Refusal): void => {
    // If the server accepted no request, other clients have used up the limit, and nothing can be learned.
    if (limitBefore === Infinity) limit = taken === 0 ? Infinity : taken;
    else limit = Math.max(1, taken, Math.floor(limitBefore / 2));
  };

  const refuse = (retryAfterMs: number | undefined, now: number): void => {
    prune(now);
    refusal ??= {
      windowStart: takenAt[0] ?? now,
      limitBefore: limit,
      taken: takenAt.length,
      count: 0,
      blockedUntil: now,
      probing: false,
    };
    const backoffMs = Math.min(MAX_DELAY_MS, MIN_DELAY_MS * 2 ** refusal.count);
    refusal.count += 1;
    refusedAt = now;
    refusal.blockedUntil = now + Math.max(retryAfterMs ?? backoffMs, MIN_DELAY_MS);
    measure(refusal);
  };

  const recover = ({ windowStart }: Refusal, now: number): void => {
    // The server still refused a request when the assumed window was over, so its window is longer.
    if (refusedAt - windowStart > windowMs + WINDOW_MARGIN_MS) {
      windowMs = Math.min(now - windowStart, MAX_WINDOW_MS);
    }
    calmSince = now;
    refusal = undefined;
  };

  const take = (sentAt: number, now: number): void => {
    takenAt.push(now);
    if (refusal === undefined) return;
    if (sentAt >= refusedAt) recover(refusal, now);
    else if (refusal.count === 1) {
      // The request was sent before the refusal came back.
      refusal.taken += 1;
      measure(refusal);
    }
  };

  /** Returns the time at which the window has room for one more request; infinity if that depends on a response. */
  const roomAt = (now: number): number => {
    prune(now);
    const excess = takenAt.length + inFlight - limit;
    if (excess < 0) return now;
    const leaving = takenAt[excess];
    return leaving === undefined ? Infinity : leaving + windowMs + JITTER_MS;
  };

  const delayByWindow = (now: number): Delay | undefined => {
    let untilMs = roomAt(now);
    if (untilMs > now && refusal === undefined && now - calmSince >= CALM_WINDOWS * windowMs) {
      limit += 1;
      calmSince = now;
      untilMs = roomAt(now);
    }
    if (untilMs <= now) return undefined;
    if (untilMs === Infinity) return { untilMs };
    return {
      untilMs,
      reason: `the stack seems to allow ${pluralize(limit, "request")} per ${Math.round(windowMs / 1000)} s`,
    };
  };

  return {
    delay(now) {
      if (refusal?.probing) return { untilMs: Infinity };
      if (refusal && now < refusal.blockedUntil) {
        return { untilMs: refusal.blockedUntil, reason: "the stack asked the program to slow down (429)" };
      }
      return delayByWindow(now);
    },
    begin(sentAt) {
      if (refusal) refusal.probing = true;
      const probed = refusal;
      inFlight += 1;
      return (reported, now) => {
        inFlight -= 1;
        if (probed) probed.probing = false;
        if (reported === undefined) return;
        const { status, limits } = reported;
        if (status !== 429) take(sentAt, now);
        // Refusals of requests that were sent before the last refusal count as one with it. A refusal with a reset time is left to
        // the announced limit.
        else if (limits.resetMs === undefined && sentAt >= refusedAt) refuse(limits.retryAfterMs, now);
      };
    },
  };
}
