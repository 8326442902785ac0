/** Times are in milliseconds from now. */
export interface LimitHeaders {
  readonly limit?: number;
  readonly remaining?: number;
  readonly resetMs?: number;
  readonly retryAfterMs?: number;
}

/** A number below both bounds is in seconds from now; between them, in Unix seconds; above, in Unix milliseconds. */
const MIN_EPOCH_SECONDS = 1e9;
const MIN_EPOCH_MS = 1e11;

/** A longer delay counts as a day. */
const MAX_DELAY_MS = 24 * 60 * 60_000;

/** Unix times and dates come from the server's clock, so the response's `Date` counts as now. */
export function readLimitHeaders(headers: Headers, machineTime: number): LimitHeaders {
  const serverTime = Date.parse(headers.get("date") ?? "");
  const now = Number.isNaN(serverTime) ? machineTime : serverTime;
  const headerNumber = (name: string): number | undefined =>
    leadingNumber(headers.get(`ratelimit-${name}`)) ?? leadingNumber(headers.get(`x-ratelimit-${name}`));
  const reset = headerNumber("reset");
  return {
    limit: headerNumber("limit"),
    remaining: headerNumber("remaining"),
    resetMs: reset === undefined ? undefined : delayMs(reset, now),
    retryAfterMs: untilRetry(headers.get("retry-after"), now),
  };
}

/** Prefers the reset time: a self-hosted server sends the length of the whole window as `Retry-After` (docs/api.md#limits). */
export function announcedWaitMs({ resetMs, retryAfterMs }: LimitHeaders): number | undefined {
  return resetMs ?? retryAfterMs;
}

/** The policy of the limit may follow: `100, 100;w=60`. */
function leadingNumber(value: string | null): number | undefined {
  const digits = /^\s*(\d+(?:\.\d+)?)/.exec(value ?? "")?.[1];
  return digits === undefined ? undefined : Number(digits);
}

function untilRetry(value: string | null, now: number): number | undefined {
  if (value === null) return undefined;
  if (/^\s*\d+(?:\.\d+)?\s*$/.test(value)) return delayMs(Number(value), now);
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : boundedDelay(date - now);
}

function delayMs(value: number, now: number): number {
  if (value < MIN_EPOCH_SECONDS) return boundedDelay(value * 1000);
  return boundedDelay((value < MIN_EPOCH_MS ? value * 1000 : value) - now);
}

function boundedDelay(ms: number): number {
  return Math.min(Math.max(0, ms), MAX_DELAY_MS);
}
