import pLimit from "p-limit";
import { StackError } from "../../core/errors.ts";
import { throwIfInterrupted } from "../failures.ts";
import type { ClientSettings } from "../options.ts";
import type { StackRequest } from "../request.ts";
import { createAnnouncedLimit } from "./announced-limit.ts";
import { createFixedRateLimit, type Delay, type ReportedLimit, type RequestLimit } from "./limit.ts";
import { LearnedLimit } from "./learned-limit.ts";

/** Maximum wait before a request. If the wait would be longer, the request fails, so that the user can decide. */
const MAX_WAIT_MS = 15 * 60_000;

export type PacerOptions = Pick<ClientSettings, "concurrency" | "rate" | "clock" | "events">;

/** Decides when requests start. All kinds share one pacer, because the stack counts their requests together. */
export interface Pacer {
  /**
   * Waits for one of the slots for concurrent operations. Returns the function that releases the slot. The caller holds
   * the slot for all attempts of the operation.
   */
  takeSlot(): Promise<() => void>;
  /**
   * Waits until all limits allow one more attempt. Returns a function that the caller calls when the attempt has ended,
   * with the report of the response.
   * @throws StackError `rate-limited` if the wait would be longer than 15 minutes
   */
  start(request: StackRequest, signal?: AbortSignal): Promise<EndAttempt>;
  /**
   * Waits until all limits allow two attempts, one right after the other, and keeps room for the second attempt. If
   * `oneByOne`, waits only for the first attempt, and no other request starts before `release`.
   * @throws StackError as `start`
   */
  startPair(request: StackRequest, oneByOne: boolean, signal?: AbortSignal): Promise<AttemptPair>;
  /** Returns the rest of the current delay, in milliseconds; 0 if the end of the delay is unknown. */
  delayMs(): number;
  /** Returns the total time that requests waited for the limits, in milliseconds. */
  waitedMs(): number;
}

export type EndAttempt = (reported?: ReportedLimit) => void;

export interface AttemptPair {
  readonly end: EndAttempt;
  /**
   * Begins the second attempt. If `oneByOne`, waits until the limits allow the attempt; else returns undefined if the
   * limits no longer allow the attempt, for instance because the stack has refused another request meanwhile.
   */
  startSecond(): Promise<EndAttempt | undefined>;
  /** Lets other requests start. The caller must always call `release`, even after `startSecond`. */
  release(): void;
}

/** Combines the number of concurrent requests, the user's own rate, and the stack's announced or learned limits. */
export function createPacer({ concurrency, rate, clock, events }: PacerOptions): Pacer {
  const slots = pLimit(concurrency);
  const gate = pLimit(1);
  const limits = [
    createAnnouncedLimit(),
    new LearnedLimit(),
    ...(rate === undefined ? [] : [createFixedRateLimit(rate)]),
  ];
  const turns = createTurns(limits, { clock, events });
  return {
    takeSlot: () => new Promise((taken) => void slots(() => new Promise<void>((free) => taken(free)))),
    // Requests wait one after another, in the order in which they came.
    start: (request, signal) =>
      gate(async () => {
        await turns.waitFor(1, request, signal);
        return turns.begin();
      }),
    startPair: (request, oneByOne, signal) =>
      new Promise((started, failed) => {
        gate(async () => {
          await turns.waitFor(oneByOne ? 1 : 2, request, signal);
          if (!oneByOne) return started({ end: turns.begin(), ...turns.keepRoom() });
          const startSecond = async (): Promise<EndAttempt> => {
            await turns.waitFor(1, request, signal);
            return turns.begin();
          };
          // The gate stays closed for other requests until the pair is released.
          await new Promise<void>((release) => started({ end: turns.begin(), startSecond, release }));
        }).catch(failed);
      }),
    delayMs: () => {
      const untilMs = turns.longestDelay(1)?.untilMs ?? 0;
      return untilMs === Infinity ? 0 : Math.max(0, untilMs - clock.now());
    },
    waitedMs: () => turns.waitedMs(),
  };
}

/** Decides when attempts may begin. There must be only one call of `waitFor` at a time. */
function createTurns(limits: readonly RequestLimit[], options: Pick<PacerOptions, "clock" | "events">) {
  const { clock } = options;
  const waiter = createWaiter(options);
  /** Number of second attempts for which room is kept. */
  let kept = 0;

  const longestDelay = (requests: number): Delay | undefined => {
    const delays = limits.flatMap((limit) => limit.delay(clock.now(), requests + kept) ?? []);
    return delays.reduce<Delay | undefined>(
      (longest, candidate) => (longest && longest.untilMs >= candidate.untilMs ? longest : candidate),
      undefined,
    );
  };

  const begin = (): EndAttempt => {
    const ends = limits.map((limit) => limit.begin(clock.now()));
    return (reported) => {
      for (const end of ends) end(reported, clock.now());
      waiter.wakeAll();
    };
  };

  const waitFor = async (count: number, request: StackRequest, signal: AbortSignal | undefined): Promise<void> => {
    const problem = `${request.method} ${request.path} was not sent`;
    throwIfInterrupted(signal, problem);
    for (let delay = longestDelay(count); delay !== undefined; delay = longestDelay(count)) {
      await waiter.waitOut(delay, request, signal);
      throwIfInterrupted(signal, problem);
    }
  };

  /** Keeps room for one more attempt until `startSecond` or `release` is called. */
  const keepRoom = (): Omit<AttemptPair, "end"> => {
    let isKept = true;
    kept += 1;
    const release = (): void => {
      kept -= Number(isKept);
      isKept = false;
      waiter.wakeAll();
    };
    const startSecond = async (): Promise<EndAttempt | undefined> => {
      release();
      return longestDelay(1) === undefined ? begin() : undefined;
    };
    return { startSecond, release };
  };

  return { longestDelay, begin, waitFor, keepRoom, waitedMs: () => waiter.waitedMs() };
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

/** Waits for the end of a delay or of a request, whichever comes first. There must be only one wait at a time. */
function createWaiter({ clock, events }: Pick<PacerOptions, "clock" | "events">) {
  let wake = (): void => {};
  let waitedMs = 0;
  let announcedUntil = 0;

  const untilWoken = (signal: AbortSignal | undefined, stop: AbortController): Promise<void> =>
    new Promise((resolve) => {
      wake = resolve;
      signal?.addEventListener("abort", () => resolve(), { once: true, signal: stop.signal });
      if (signal?.aborted) resolve();
    });

  const announce = (reason: string, untilMs: number, request: StackRequest): void => {
    const waitMs = untilMs - clock.now();
    if (waitMs > MAX_WAIT_MS) throw waitTooLong(request, reason, waitMs);
    if (untilMs > announcedUntil) events({ type: "wait", reason, waitMs });
    announcedUntil = Math.max(announcedUntil, untilMs);
  };

  return {
    /**
     * Resolves at the end of the delay, at `wakeAll`, or when the signal aborts.
     * @throws StackError `rate-limited` if the delay is too long
     */
    async waitOut({ reason, untilMs }: Delay, request: StackRequest, signal?: AbortSignal): Promise<void> {
      if (reason !== undefined) announce(reason, untilMs, request);
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
