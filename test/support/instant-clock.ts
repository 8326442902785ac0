import type { Clock } from "../../src/core/ports.ts";

/** A clock on which time passes only by sleeping, and sleeping takes no time. */
export function instantClock(start = Date.UTC(2026, 0, 1)): Clock {
  let now = start;
  return {
    now: () => now,
    async sleep(ms) {
      now += ms;
      await Promise.resolve();
    },
  };
}
