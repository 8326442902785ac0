/** The values of a response's headers about the limit. Times are in milliseconds from now. */
export interface LimitHeaders {
  readonly limit?: number;
  readonly remaining?: number;
  readonly resetMs?: number;
  readonly retryAfterMs?: number;
}

/** From these values on, a number is a point in time (Unix seconds, or milliseconds) instead of a number of seconds from now. */
const MIN_EPOCH_SECONDS = 1e9;
const MIN_EPOCH_MS = 1e11;

/** Longest delay that is believed, in milliseconds: a window of a limit lasts a day at most. */
const MAX_DELAY_MS = 24 * 60 * 60_000;

/**
 * Reads `RateLimit-*` (also with the older prefix `X-`) and `Retry-After`, in seconds, as a point in time, or as an HTTP date. A
 * point in time is by the server's clock, so it is compared with the `Date` of the response.
 * @param machineTime used if the response has no `Date`
 */
export function readLimitHeaders(headers: Headers, machineTime: number): LimitHeaders {
  const serverTime = Date.parse(headers.get("date") ?? "");
  const now = Number.isNaN(serverTime) ? machineTime : serverTime;
  const headerNumber = (name: string): number | undefined =>
    leadingNumber(headers.get(`ratelimit-${name}`)) ?? leadingNumber(headers.get(`x-ratelimit-${name}`));
  return {
    limit: headerNumber("limit"),
    remaining: headerNumber("remaining"),
    resetMs: untilReset(headerNumber("reset"), now),
    retryAfterMs: untilRetry(headers.get("retry-after"), now),
  };
}

/**
 * Returns the wait that a 429 asks for. `RateLimit-Reset` is the time until the window ends. `Retry-After` is the length of the
 * whole window, and is used only if `RateLimit-Reset` is absent (docs/api.md#limits).
 */
export function announcedWaitMs({ resetMs, retryAfterMs }: LimitHeaders): number | undefined {
  return resetMs ?? retryAfterMs;
}

/** Returns the number at the beginning of a header, which may be followed by the policy of the limit (`100, 100;w=60`). */
function leadingNumber(value: string | null): number | undefined {
  const digits = /^\s*(\d+(?:\.\d+)?)/.exec(value ?? "")?.[1];
  return digits === undefined ? undefined : Number(digits);
}

function untilReset(reset: number | undefined, now: number): number | undefined {
  return reset === undefined ? undefined : delayMs(reset, now);
}

function untilRetry(value: string | null, now: number): number | undefined {
  if (value === null) return undefined;
  if (/^\s*\d+(?:\.\d+)?\s*$/.test(value)) return delayMs(Number(value), now);
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : boundedDelay(date - now);
}

/** Returns the delay that a number means: seconds from now, or a point in time. */
function delayMs(value: number, now: number): number {
  if (value < MIN_EPOCH_SECONDS) return boundedDelay(value * 1000);
  return boundedDelay((value < MIN_EPOCH_MS ? value * 1000 : value) - now);
}

function boundedDelay(ms: number): number {
  return Math.min(Math.max(0, ms), MAX_DELAY_MS);
}
