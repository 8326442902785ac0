import type { RateLimit } from "../../core/ports.ts";
import { pluralize } from "../../core/text/format.ts";
import type { LimitHeaders } from "./limit-headers.ts";

export interface Delay {
  /** End of the delay in Unix milliseconds; infinite if only the response of a request in flight can end the delay. */
  readonly untilMs: number;
  /** The reason in words for the user; absent if the wait is too short to report. */
  readonly reason?: string;
}

/** Called when a request ends. `reported` is undefined if no response came. */
export type EndRequest = (reported: ReportedLimit | undefined, now: number) => void;

/** One limit on the start of requests. A request starts only if no limit delays it. */
export interface RequestLimit {
  /**
   * Returns the delay before `requests` requests may start together.
   * @param requests by default 1. A number over the limit counts as the limit.
   */
  delay(now: number, requests?: number): Delay | undefined;
  /** Counts a request that starts now. Returns the function that the caller calls when the request ends. */
  begin(now: number): EndRequest;
}

export interface ReportedLimit {
  readonly status: number;
  readonly limits: LimitHeaders;
}

const MAX_STRETCH_MS = 250;

/**
 * Stretches a window by 2.5 %, but at most by 250 ms. Requests that start one window apart may arrive slightly closer
 * together, because the first request has to connect.
 */
export function stretchWindow(windowMs: number): number {
  return windowMs + Math.min(MAX_STRETCH_MS, windowMs * 0.025);
}

export function createFixedRateLimit({ requests, perMs }: RateLimit): RequestLimit {
  const windowMs = stretchWindow(perMs);
  const reason = `your own limit of ${pluralize(requests, "request")} per ${perMs / 1000} s`;
  let starts: number[] = [];
  return {
    delay(now, count = 1): Delay | undefined {
      starts = starts.filter((start) => start > now - windowMs);
      const leaving = starts[starts.length + Math.min(count, requests) - requests - 1];
      return leaving === undefined ? undefined : { untilMs: leaving + windowMs, reason };
    },
    begin(now) {
      starts.push(now);
      return () => {};
    },
  };
}
