import type { LimitHeaders } from "./limit-headers.ts";

/**
 * What is known of the server's current window. Its end is only known within bounds, because headers say whole seconds,
 * rounded up, of a moment between sending and answer.
 */
export interface AnnouncedWindow {
  readonly limit: number;
  /** The least that any answer of this window left. */
  readonly remaining: number;
  readonly endsAfterMs: number;
  readonly endsBeforeMs: number;
}

/** The rounding of `RateLimit-Reset`. */
const HEADER_STEP_MS = 1000;

/** Brings the window up to date with an answer to a request sent at `sentAt`. Answers may come in any order. */
export function nextWindow(
  known: AnnouncedWindow | undefined,
  headers: LimitHeaders,
  sentAt: number,
  now: number,
): AnnouncedWindow | undefined {
  const { limit, remaining, resetMs } = headers;
  if (remaining === undefined || resetMs === undefined) return known;
  const told: AnnouncedWindow = {
    limit: limit ?? known?.limit ?? remaining,
    remaining,
    endsAfterMs: sentAt + resetMs - HEADER_STEP_MS,
    endsBeforeMs: now + resetMs,
  };
  if (known === undefined || told.endsAfterMs > known.endsBeforeMs) return told;
  // A late answer of the window before says nothing of this one.
  if (told.endsBeforeMs < known.endsAfterMs) return known;
  return {
    limit: told.limit,
    remaining: Math.min(known.remaining, told.remaining),
    endsAfterMs: Math.max(known.endsAfterMs, told.endsAfterMs),
    endsBeforeMs: Math.min(known.endsBeforeMs, told.endsBeforeMs),
  };
}
