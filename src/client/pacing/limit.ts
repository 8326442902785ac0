import type { RateLimit } from "../../core/ports.ts";
import { pluralize } from "../../core/text/format.ts";
import type { LimitHeaders } from "./limit-headers.ts";

export interface Delay {
  /** In Unix milliseconds; infinite if only a response in flight can end the delay. */
  readonly untilMs: number;
  /** Absent if a response in flight may end the delay; such a delay is not reported. */
  readonly reason?: string;
}

export type EndRequest = (reported: ReportedLimit | undefined, now: number) => void;

export interface RequestLimit {
  /** More `requests` than the limit count as the limit. */
  delay(now: number, requests?: number): Delay | undefined;
  begin(now: number): EndRequest;
}

export interface ReportedLimit {
  readonly status: number;
  readonly limits: LimitHeaders;
}

const MAX_STRETCH_MS = 250;

/** The first request has to connect, so requests one window apart may arrive closer together. */
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
