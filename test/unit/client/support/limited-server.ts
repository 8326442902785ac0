import type { ReportedLimit } from "../../../../src/client/pacing/limit.ts";
import type { Clock } from "../../../../src/core/ports.ts";

export interface LimitedServerOptions {
  readonly requests: number;
  readonly windowMs: number;
  /** If true, every response has `RateLimit-*` headers, as on self-hosted stacks; if false, none has, as on managed stacks. */
  readonly headers: boolean;
  /** If true, windows begin at fixed times; if false (the default), a window begins with its first request. */
  readonly aligned?: boolean;
  /** Rounds `RateLimit-Reset` to whole seconds; by default upwards. */
  readonly round?: (seconds: number) => number;
  /** Returns the round-trip time of a request in milliseconds, by the number of the request. */
  readonly latency?: (count: number) => number;
}

/** A stack that only limits requests. Its windows are fixed, and refused requests count, too. */
export interface LimitedServer {
  /** 200 or 429 for each request, in the order of arrival. */
  readonly statuses: number[];
  /** The time at which each request arrived. */
  readonly arrivals: number[];
  request(): Promise<ReportedLimit>;
}

export function limitedServer(clock: Clock, options: LimitedServerOptions): LimitedServer {
  const { requests, windowMs, headers, aligned = false, round = Math.ceil, latency = () => 20 } = options;
  const statuses: number[] = [];
  const arrivals: number[] = [];
  let window = { endsAt: -Infinity, taken: 0 };
  let sent = 0;
  const arrive = (): ReportedLimit => {
    const now = clock.now();
    if (now >= window.endsAt)
      window = { endsAt: aligned ? now - (now % windowMs) + windowMs : now + windowMs, taken: 0 };
    window.taken += 1;
    const status = window.taken > requests ? 429 : 200;
    statuses.push(status);
    arrivals.push(now);
    if (!headers) return { status, limits: {} };
    const resetMs = round((window.endsAt - now) / 1000) * 1000;
    const limits = { limit: requests, remaining: Math.max(0, requests - window.taken), resetMs };
    return { status, limits: status === 429 ? { ...limits, retryAfterMs: windowMs } : limits };
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
