import type { Clock } from "../../domain/ports.ts";

/** Waits until a time has come or something has changed, whichever is first. One at a time. */
export interface Waiter {
  /** Returns at `untilMs`, on `wake`, or when the signal aborts; without an end where `untilMs` is infinite. Never rejects. */
  wait(untilMs: number, signal?: AbortSignal): Promise<void>;
  wake(): void;
  /** All the time waited so far, in milliseconds. */
  waitedMs(): number;
}

export function createWaiter(clock: Clock): Waiter {
  let wake = (): void => {};
  let waitedMs = 0;

  const untilWoken = (signal: AbortSignal | undefined, stop: AbortController): Promise<void> =>
    new Promise((resolve) => {
      wake = resolve;
      signal?.addEventListener("abort", () => resolve(), { once: true, signal: stop.signal });
      if (signal?.aborted) resolve();
    });

  return {
    async wait(untilMs, signal) {
      const since = clock.now();
      const stop = new AbortController();
      const woken = untilWoken(signal, stop);
      // The clock's sleep rejects when it is no longer needed.
      const slept = untilMs === Infinity ? woken : clock.sleep(untilMs - since, stop.signal).catch(() => {});
      await Promise.race([woken, slept]);
      stop.abort();
      waitedMs += clock.now() - since;
    },
    wake: () => wake(),
    waitedMs: () => waitedMs,
  };
}
