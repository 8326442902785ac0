import { pluralize } from "../../core/text/format.ts";

/** The reason why no request may start now, and the time at which it ends. */
export interface Delay {
  /** Unix milliseconds; infinite if only a response still to come can end the delay. */
  readonly untilMs: number;
  /** For people; absent if the wait is too short to report. */
  readonly reason?: string;
}

/** Called when a request ends; without `reported` if no response came. */
export type EndRequest = (reported: Reported | undefined, now: number) => void;

/** One limit on the start of requests. The pacer asks all limits. */
export interface Limit {
  /** Returns the current delay, if there is one. */
  delay(now: number): Delay | undefined;
  /** Counts a request that starts now. */
  begin(now: number): EndRequest;
}

/** A response's report about the stack's limit. */
export interface Reported {
  readonly status: number;
  readonly limits: LimitHeaders;
}

/** Times are in milliseconds from now. */
export interface LimitHeaders {
  readonly limit?: number;
  readonly remaining?: number;
  readonly resetMs?: number;
  readonly retryAfterMs?: number;
}

/** A larger value is a point in time: some deployments send the time of the reset instead of the seconds until then. */
const MIN_EPOCH_SECONDS = 1e9;

/** Reads `RateLimit-*` (also with the older prefix `X-`) and `Retry-After`, in seconds or as an HTTP date. */
export function readLimitHeaders(headers: Headers, now: number): LimitHeaders {
  const headerNumber = (name: string): number | undefined =>
    leadingNumber(headers.get(`ratelimit-${name}`)) ?? leadingNumber(headers.get(`x-ratelimit-${name}`));
  const limit = headerNumber("limit");
  const remaining = headerNumber("remaining");
  const resetMs = untilReset(headerNumber("reset"), now);
  const retryAfterMs = untilRetry(headers.get("retry-after"), now);
  return {
    ...(limit !== undefined && { limit }),
    ...(remaining !== undefined && { remaining }),
    ...(resetMs !== undefined && { resetMs }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  };
}

/**
 * Returns the wait that a 429 asks for. `Retry-After` is the length of the window, `RateLimit-Reset` the rest of it
 * (docs/api.md#limits).
 */
export function announcedWaitMs({ resetMs, retryAfterMs }: LimitHeaders): number | undefined {
  return resetMs ?? retryAfterMs;
}

/** The header may append its policy to the limit (`100, 100;w=60`). */
function leadingNumber(value: string | null): number | undefined {
  const digits = /^\s*(\d+(?:\.\d+)?)/.exec(value ?? "")?.[1];
  return digits === undefined ? undefined : Number(digits);
}

function untilReset(reset: number | undefined, now: number): number | undefined {
  if (reset === undefined) return undefined;
  return reset >= MIN_EPOCH_SECONDS ? Math.max(0, reset * 1000 - now) : reset * 1000;
}

function untilRetry(value: string | null, now: number): number | undefined {
  if (value === null) return undefined;
  if (/^\s*\d+(?:\.\d+)?\s*$/.test(value)) return Number(value) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** At most `requests` start in any window of `perMs` milliseconds. */
export interface Rate {
  readonly requests: number;
  readonly perMs: number;
}

/**
 * Requests that start one window apart may arrive slightly closer together, because the first one has to connect. So the window
 * is stretched by 2.5 %, and by at most this time.
 */
const MAX_STRETCH_MS = 250;

/** Applies the limit that the user set (`--rate`). */
export function createFixedRate({ requests, perMs }: Rate): Limit {
  const windowMs = perMs + Math.min(MAX_STRETCH_MS, perMs * 0.025);
  const reason = `your own limit of ${pluralize(requests, "request")} per ${perMs / 1000} s`;
  let starts: number[] = [];
  return {
    delay(now): Delay | undefined {
      starts = starts.filter((start) => start > now - windowMs);
      const [oldest] = starts;
      if (oldest === undefined || starts.length < requests) return undefined;
      return { untilMs: oldest + windowMs, reason };
    },
    begin(now) {
      starts.push(now);
      return () => {};
    },
  };
}
