import { pluralize } from "../../core/text/format.ts";
import type { Delay, Limit } from "./limit.ts";

/** The window that the managed service publishes (docs/api.md#limits: 10 requests per 10 s, no headers). */
const PUBLISHED_WINDOW_MS = 10_000;
const MAX_WINDOW_MS = 15 * 60_000;
/** A refusal this shortly after the window's end does not prove a longer window. */
const WINDOW_MARGIN_MS = 1000;
/** Maximum distance of responses while nothing else is wrong. */
const JITTER_MS = 100;
const MIN_DELAY_MS = 1000;
const MAX_DELAY_MS = 10_000;
/** Windows without a refusal before the limit grows by one. */
const CALM_WINDOWS = 4;

/** The period from a refusal to the next request that the server accepts. */
interface Refusal {
  /** Start of the window in which the server refused. */
  readonly windowStart: number;
  /** The limit before the refusal. */
  readonly limitBefore: number;
  /** Requests that the server accepted in that window. */
  taken: number;
  count: number;
  blockedUntil: number;
  probing: boolean;
}

/**
 * Learns the limit of a server that sends 429 without stating its limit. After a refusal, nothing is sent for a while; then a
 * single request, the probe, is repeated until the server accepts it. From then on a window holds as many requests as the server
 * accepted before the refusal; a later refusal at most halves that number. The limit grows slowly while the server refuses
 * nothing. The server counted a request at some time between its start and its response, so it counts here from its start until
 * one window after its response.
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
    // No request was accepted: other clients have used up the limit, so nothing can be learned.
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
    // The server still refused when the window was over, so its own window is longer.
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

  /** Returns when the window has room for one more request: now, later, or infinity if only a response can tell. */
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
        // A burst of refusals counts once. A limit that the server announces is not learned.
        else if (limits.resetMs === undefined && sentAt >= refusedAt) refuse(limits.retryAfterMs, now);
      };
    },
  };
}
