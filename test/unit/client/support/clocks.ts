import type { Clock } from "../../../../src/core/ports.ts";

/** A simulated clock for concurrent operations: whenever all of them wait, the time jumps to the next timer. */
export interface VirtualClock extends Clock {
  /** Lets time pass until the promise is settled. */
  drive<T>(promise: Promise<T>): Promise<T>;
}

export function virtualClock(start = 1_700_000_000_000): VirtualClock {
  let now = start;
  const timers = new Set<{ readonly at: number; readonly fire: () => void }>();
  const leap = (): void => {
    const [next] = [...timers].sort((left, right) => left.at - right.at);
    if (next === undefined) throw new Error("nothing will ever happen again");
    now = Math.max(now, next.at);
    timers.delete(next);
    next.fire();
  };
  return {
    now: () => now,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        const timer = { at: now + Math.max(0, ms), fire: resolve };
        const stop = (): void => {
          timers.delete(timer);
          const reason: unknown = signal?.reason;
          reject(reason);
        };
        if (signal?.aborted) return stop();
        timers.add(timer);
        signal?.addEventListener("abort", stop, { once: true });
      }),
    async drive(promise) {
      let settled = false;
      const end = (): void => void (settled = true);
      promise.then(end, end);
      for (;;) {
        await new Promise((resolve) => setImmediate(resolve));
        if (settled) return promise;
        leap();
      }
    },
  };
}
