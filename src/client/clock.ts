import { setTimeout } from "node:timers/promises";
import type { Clock } from "../core/ports.ts";

/** Node fires a timer with a longer delay at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) =>
    setTimeout(Math.min(Math.max(0, ms), MAX_TIMER_MS), undefined, { signal }).catch(() => {
      throw signal?.reason;
    }),
};

/** A correction of the system's time during a run does not change this clock. */
export const steadyClock: Clock = { ...systemClock, now: () => performance.timeOrigin + performance.now() };
