import type { Clock } from "../../src/core/ports.ts";

/** A clock on which time passes only by sleeping, and sleeping takes no time. It remembers how long was slept each time. */
export function instantClock(start = Date.UTC(2026, 0, 1)): Clock & { readonly slept: readonly number[] } {
  let now = start;
  const slept: number[] = [];
  return {
    slept,
    now: () => now,
    async sleep(ms, signal) {
      signal?.throwIfAborted();
      slept.push(ms);
      now += Math.max(0, ms);
      await Promise.resolve();
    },
  };
}
