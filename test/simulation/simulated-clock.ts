import type { Clock } from "../../src/core/ports.ts";

/** A clock that advances only on demand, and wakes those who sleep on it. */
export interface SimulatedClock extends Clock {
  /** Advances the clock, and lets the code after each finished sleep run. */
  advance(ms: number): Promise<void>;
}

interface Sleeper {
  readonly until: number;
  readonly wake: () => void;
}

/** Creates a clock that starts at this time. */
export function simulatedClock(start: number): SimulatedClock {
  let now = start;
  let sleepers: Sleeper[] = [];
  return {
    now: () => now,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        const sleeper = { until: now + ms, wake: resolve };
        sleepers.push(sleeper);
        const stop = (): void => {
          sleepers = sleepers.filter((each) => each !== sleeper);
          reject(signal?.reason as Error);
        };
        if (signal?.aborted === true) stop();
        else signal?.addEventListener("abort", stop, { once: true });
      }),
    async advance(ms) {
      now += ms;
      const awake = sleepers.filter(({ until }) => until <= now);
      sleepers = sleepers.filter(({ until }) => until > now);
      for (const { wake } of awake) wake();
      // Let the woken code run.
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}
