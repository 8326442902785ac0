import type { Hold, Limit } from "./limit.ts";

/** At most `requests` start in any window of `perMs` milliseconds. */
export interface Rate {
  readonly requests: number;
  readonly perMs: number;
}

/**
 * Requests are not equally long on the way (the first one connects), so those that start a window apart may arrive a
 * little closer together. The window is stretched by 2.5 %, at most by this.
 */
const LARGEST_STRETCH_MS = 250;

/** The limit that the user set (`--rate`). */
export function createRateLimit({ requests, perMs }: Rate): Limit {
  const windowMs = perMs + Math.min(LARGEST_STRETCH_MS, perMs * 0.025);
  const reason = `your own limit of ${requests} requests per ${perMs / 1000} s`;
  let starts: number[] = [];
  return {
    hold(now): Hold | undefined {
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
