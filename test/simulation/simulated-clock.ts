import type { Clock } from "../../src/core/ports.ts";

/** A clock that only passes when it is told to; sleepers wake as it does. */
export interface SimulatedClock extends Clock {
  /** Lets time pass and whoever slept carry on. */
  advance(ms: number): Promise<void>;
}

interface Sleeper {
  readonly until: number;
  readonly wake: () => void;
}

/** A clock that stands at that moment. */
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
      // Whoever woke up gets to do what it woke up for.
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}
