import { pluralize } from "../../core/text/format.ts";
import type { LimitHeaders } from "./limit-headers.ts";

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
