/** The work of a phase, as known at its start: the expected number of requests and the rate limit. */
export interface PhaseWork {
  readonly requests: number;
  readonly limit: { readonly requests: number; readonly perMs: number } | undefined;
}

export interface PhaseProgress extends PhaseWork {
  readonly sent: number;
  readonly elapsedMs: number;
}

/** A rate is estimated only after this many requests, and after MIN_MS milliseconds. */
const MIN_SENT = 5;
const MIN_MS = 2000;

/** Returns the estimated remaining time: `about 9 min left`; empty if there is no estimate, or if no rate limit slows the run. */
export function estimateText(pace: PhaseProgress): string {
  const ms = estimateMs(pace);
  if (ms === undefined || ms === 0) return "";
  if (ms < 60_000) return `about ${Math.max(5, Math.ceil(ms / 5000) * 5)} s left`;
  return `about ${Math.ceil(ms / 60_000)} min left`;
}

/**
 * Estimates the remaining time from the waits that the rate limit imposes, or from the stack's speed if the stack is slower.
 * Undefined if no limit is known, or if the stack has allowed more requests than the limit, because then the limit is wrong.
 */
export function estimateMs({ requests, limit, sent, elapsedMs }: PhaseProgress): number | undefined {
  if (limit === undefined) return undefined;
  const windows = Math.floor(elapsedMs / limit.perMs) + 1;
  if (sent > windows * limit.requests) return undefined;
  const remaining = Math.max(0, requests - sent);
  const wholeMs = (Math.ceil((sent + remaining) / limit.requests) - 1) * limit.perMs;
  const byPace = sent >= MIN_SENT && elapsedMs >= MIN_MS ? (remaining * elapsedMs) / sent : 0;
  return Math.max(0, wholeMs - elapsedMs, byPace);
}

/** Returns the rate: `8.2 requests/s`, or requests per minute for a slow stack; empty until enough requests were sent. */
export function rateText(sent: number, elapsedMs: number): string {
  if (sent < MIN_SENT || elapsedMs < MIN_MS) return "";
  const perSecond = (sent * 1000) / elapsedMs;
  return perSecond >= 1 ? `${perSecond.toFixed(1)} requests/s` : `${Math.round(perSecond * 60)} requests/min`;
}
