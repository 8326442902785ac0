/** What an answer says of the stack's limit. Times are in milliseconds from now. */
export interface LimitHeaders {
  readonly limit?: number;
  readonly remaining?: number;
  readonly resetMs?: number;
  readonly retryAfterMs?: number;
}

/** Some deployments write the time of the reset instead of the seconds until it. */
const LEAST_EPOCH_SECONDS = 1e9;

/** Reads `RateLimit-*` (also with the older `X-` before it) and `Retry-After`, in seconds or as an HTTP date. */
export function readLimitHeaders(headers: Headers, now: number): LimitHeaders {
  const member = (name: string): number | undefined =>
    count(headers.get(`ratelimit-${name}`)) ?? count(headers.get(`x-ratelimit-${name}`));
  const limit = member("limit");
  const remaining = member("remaining");
  const resetMs = untilReset(member("reset"), now);
  const retryAfterMs = untilRetry(headers.get("retry-after"), now);
  return {
    ...(limit !== undefined && { limit }),
    ...(remaining !== undefined && { remaining }),
    ...(resetMs !== undefined && { resetMs }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  };
}

/** How long a 429 says to wait. Field note: `Retry-After` names the whole window, `RateLimit-Reset` what is left of it. */
export function announcedWaitMs({ resetMs, retryAfterMs }: LimitHeaders): number | undefined {
  return resetMs ?? retryAfterMs;
}

/** The leading number of a header; a limit may go on with its policy (`100, 100;w=60`). */
function count(value: string | null): number | undefined {
  const digits = /^\s*(\d+(?:\.\d+)?)/.exec(value ?? "")?.[1];
  return digits === undefined ? undefined : Number(digits);
}

function untilReset(reset: number | undefined, now: number): number | undefined {
  if (reset === undefined) return undefined;
  return reset >= LEAST_EPOCH_SECONDS ? Math.max(0, reset * 1000 - now) : reset * 1000;
}

function untilRetry(value: string | null, now: number): number | undefined {
  if (value === null) return undefined;
  if (/^\s*\d+(?:\.\d+)?\s*$/.test(value)) return Number(value) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
