import type { ReportedLimit } from "../../../../src/client/pacing/limit.ts";
import type { LimitHeaders } from "../../../../src/client/pacing/limit-headers.ts";
import type { Clock } from "../../../../src/core/ports.ts";

export interface LimitedServerOptions {
  readonly requests: number;
  readonly windowMs: number;
  /** If true, every response has `RateLimit-*` headers, as on self-hosted stacks; if false, none has, as on managed stacks. */
  readonly headers: boolean;
  /** If true, windows begin at fixed times; if false (the default), a window begins with its first request. */
  readonly aligned?: boolean;
  /** If true, each period of a window's length has at most so many requests; a refused request does not count. */
  readonly sliding?: boolean;
  /** If true, the limit is a bucket of so many tokens that is filled evenly; a refused request takes none. */
  readonly bucket?: boolean;
  /** What `Retry-After` of a refusal without `RateLimit-*` headers says: the rest of the window, or always a second; else it is absent. */
  readonly retryAfter?: "rest" | "one second";
  /** Number of the request that something in front of the stack refuses, without `RateLimit-*` headers. */
  readonly strayAt?: number;
  /** Rounds `RateLimit-Reset` to whole seconds; by default upwards. */
  readonly round?: (seconds: number) => number;
  /** Returns the round-trip time of a request in milliseconds, by the number of the request. */
  readonly latency?: (count: number) => number;
}

/** A stack that only limits requests. Refused requests count, too, if its windows are fixed. */
export interface LimitedServer {
  /** 200 or 429 for each request, in the order of arrival. */
  readonly statuses: number[];
  /** The time at which each request arrived. */
  readonly arrivals: number[];
  request(): Promise<ReportedLimit>;
}

export function limitedServer(clock: Clock, options: LimitedServerOptions): LimitedServer {
  const { requests, headers, strayAt, latency = () => 20 } = options;
  const statuses: number[] = [];
  const arrivals: number[] = [];
  const window = options.bucket
    ? tokenBucket(options)
    : options.sliding
      ? slidingWindow(options)
      : fixedWindow(options);
  let sent = 0;
  const arrive = (): ReportedLimit => {
    const now = clock.now();
    const isStray = arrivals.push(now) === strayAt;
    const { taken, endsAt } = isStray ? { taken: Infinity, endsAt: now } : window(now);
    const status = taken > requests ? 429 : 200;
    statuses.push(status);
    const limits = headers && !isStray ? announced(options, taken, endsAt - now) : silent(options, endsAt - now);
    return { status, limits: status === 429 ? limits : { ...limits, retryAfterMs: undefined } };
  };
  return {
    statuses,
    arrivals,
    async request() {
      const oneWay = latency((sent += 1)) / 2;
      await clock.sleep(oneWay);
      const reported = arrive();
      await clock.sleep(oneWay);
      return reported;
    },
  };
}

/** Counts a request. Returns the number of requests of the window, this one included, and the window's end. */
type Window = (now: number) => { readonly taken: number; readonly endsAt: number };

function fixedWindow({ windowMs, aligned = false }: LimitedServerOptions): Window {
  let window = { endsAt: -Infinity, taken: 0 };
  return (now) => {
    if (now >= window.endsAt)
      window = { endsAt: aligned ? now - (now % windowMs) + windowMs : now + windowMs, taken: 0 };
    window.taken += 1;
    return window;
  };
}

function slidingWindow({ requests, windowMs }: LimitedServerOptions): Window {
  let times: number[] = [];
  return (now) => {
    times = times.filter((time) => time > now - windowMs);
    const taken = times.length + 1;
    if (taken <= requests) times.push(now);
    return { taken, endsAt: (times[0] ?? now) + windowMs };
  };
}

function tokenBucket({ requests, windowMs }: LimitedServerOptions): Window {
  let tokens = requests;
  let filledAt = -Infinity;
  return (now) => {
    tokens = Math.min(requests, tokens + ((now - filledAt) * requests) / windowMs);
    filledAt = now;
    const endsAt = now + Math.max(0, 1 - tokens) * (windowMs / requests);
    if (tokens < 1) return { taken: Infinity, endsAt };
    tokens -= 1;
    return { taken: requests - Math.floor(tokens), endsAt };
  };
}

function announced(
  { requests, windowMs, round = Math.ceil }: LimitedServerOptions,
  taken: number,
  leftMs: number,
): LimitHeaders {
  const remaining = Math.max(0, requests - taken);
  return { limit: requests, remaining, resetMs: round(leftMs / 1000) * 1000, retryAfterMs: windowMs };
}

function silent({ retryAfter }: LimitedServerOptions, leftMs: number): LimitHeaders {
  if (retryAfter === undefined) return {};
  return { retryAfterMs: retryAfter === "rest" ? Math.max(1, Math.ceil(leftMs / 1000)) * 1000 : 1000 };
}
