import type { Clock } from "../../src/core/ports.ts";

/** Makes a clock whose time passes only in `sleep`, which returns at once. `slept` has the duration of each sleep. */
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
