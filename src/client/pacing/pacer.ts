import pLimit from "p-limit";
import { StackError } from "../../core/errors.ts";
import type { Clock } from "../../core/ports.ts";
import { throwIfInterrupted } from "../failures.ts";
import type { ClientSettings } from "../options.ts";
import type { StackRequest } from "../request.ts";
import { createAnnouncedLimit } from "./announced-limit.ts";
import { createFixedRateLimit, type Delay, type ReportedLimit } from "./limit.ts";
import { LearnedLimit } from "./learned-limit.ts";

/** Maximum wait before a request. If the wait would be longer, the request fails, so that the user can decide. */
const MAX_WAIT_MS = 15 * 60_000;

export type PacerOptions = Pick<ClientSettings, "concurrency" | "rate" | "clock" | "events">;

/** Decides when requests start. All kinds share one pacer, because the stack counts their requests together. */
export interface Pacer {
  /**
   * Waits for one of the slots for concurrent operations. Returns the function that releases the slot. The caller holds the slot
   * for all attempts of the operation.
   */
  takeSlot(): Promise<() => void>;
  /**
   * Waits until all limits allow one more attempt. Returns a function that the caller calls when the attempt has ended, with the
   * report of the response.
   * @throws StackError `rate-limited` if the wait would be longer than 15 minutes
   */
  start(request: StackRequest, signal?: AbortSignal): Promise<(reported?: ReportedLimit) => void>;
  /** Returns the rest of the current delay, in milliseconds. */
  delayMs(): number;
  /** Returns the total time that requests waited for the limits, in milliseconds. */
  waitedMs(): number;
}

/** Combines the number of concurrent requests, the user's own rate, and the stack's announced or learned limits. */
export function createPacer({ concurrency, rate, clock, events }: PacerOptions): Pacer {
  const slots = pLimit(concurrency);
  const gate = pLimit(1);
  const waiter = createWaiter(clock);
  const limits = [
    createAnnouncedLimit(),
    new LearnedLimit(),
    ...(rate === undefined ? [] : [createFixedRateLimit(rate)]),
  ];
  let announcedUntil = 0;

  const longestDelay = (): Delay | undefined => {
    const delays = limits.flatMap((limit) => limit.delay(clock.now()) ?? []);
    return delays.reduce<Delay | undefined>(
      (longest, candidate) => (longest && longest.untilMs >= candidate.untilMs ? longest : candidate),
      undefined,
    );
  };

  const waitForLimits = async (request: StackRequest, signal: AbortSignal | undefined): Promise<void> => {
    const problem = `${request.method} ${request.path} was not sent`;
    throwIfInterrupted(signal, problem);
    for (let delay = longestDelay(); delay !== undefined; delay = longestDelay()) {
      const { reason, untilMs } = delay;
      if (reason !== undefined) {
        const waitMs = untilMs - clock.now();
        if (waitMs > MAX_WAIT_MS) throw waitTooLong(request, reason, waitMs);
        if (untilMs > announcedUntil) events({ type: "wait", reason, waitMs });
        announcedUntil = Math.max(announcedUntil, untilMs);
      }
      await waiter.waitUntil(untilMs, signal);
      throwIfInterrupted(signal, problem);
    }
  };

  return {
    takeSlot: () => new Promise((taken) => void slots(() => new Promise<void>((free) => taken(free)))),
    start: (request, signal) =>
      // Requests wait one after another, in the order in which they came.
      gate(async () => {
        await waitForLimits(request, signal);
        const ends = limits.map((limit) => limit.begin(clock.now()));
        return (reported) => {
          for (const end of ends) end(reported, clock.now());
          waiter.wakeAll();
        };
      }),
    delayMs: () => {
      const untilMs = longestDelay()?.untilMs ?? 0;
      return untilMs === Infinity ? 0 : Math.max(0, untilMs - clock.now());
    },
    waitedMs: () => waiter.waitedMs(),
  };
}

function waitTooLong({ method, path }: StackRequest, reason: string, waitMs: number): StackError {
  const minutes = Math.ceil(waitMs / 60_000);
  return new StackError(
    "rate-limited",
    `${method} ${path} was not sent: ${reason}; the next request may be sent in ${minutes} minutes`,
    {
      method,
      path,
      applied: "no",
      hint: `run the same command again in ${minutes} minutes`,
    },
  );
}

/** Waits until a given time or until a request ends, whichever comes first. There is only one wait at a time. */
function createWaiter(clock: Clock) {
  let wake = (): void => {};
  let waitedMs = 0;

  const untilWoken = (signal: AbortSignal | undefined, stop: AbortController): Promise<void> =>
    new Promise((resolve) => {
      wake = resolve;
      signal?.addEventListener("abort", () => resolve(), { once: true, signal: stop.signal });
      if (signal?.aborted) resolve();
    });

  return {
    /** Resolves at the time, at `wakeAll`, or when the signal aborts. Never rejects. */
    async waitUntil(untilMs: number, signal?: AbortSignal): Promise<void> {
      const since = clock.now();
      const stop = new AbortController();
      const woken = untilWoken(signal, stop);
      // `stop.abort()` below makes the clock's sleep reject.
      const slept = untilMs === Infinity ? woken : clock.sleep(untilMs - since, stop.signal).catch(() => {});
      await Promise.race([woken, slept]);
      stop.abort();
      waitedMs += clock.now() - since;
    },
    wakeAll: () => wake(),
    waitedMs: () => waitedMs,
  };
}
