import pLimit from "p-limit";
import { StackError } from "../../core/errors.ts";
import { throwIfInterrupted } from "../failures.ts";
import type { ClientSettings } from "../options.ts";
import type { StackRequest } from "../request.ts";
import { createAnnouncedLimit } from "./announced-limit.ts";
import { createFixedRateLimit, type Delay, type ReportedLimit, type RequestLimit } from "./limit.ts";
import { LearnedLimit } from "./learned-limit.ts";

/** A longer wait fails, so the user can decide. */
const MAX_WAIT_MS = 15 * 60_000;

export type PacerOptions = Pick<ClientSettings, "concurrency" | "rate" | "clock" | "events">;

/** All kinds share one pacer, because the stack counts their requests together. */
export interface Pacer {
  /** The caller keeps the slot during all attempts of the operation. */
  takeSlot(): Promise<() => void>;
  /** @throws StackError `rate-limited` if the wait would be longer than 15 minutes */
  start(request: StackRequest, signal?: AbortSignal): Promise<EndAttempt>;
  /** Keeps room for the second attempt. With `oneByOne`, no other request starts before `release`. */
  startPair(request: StackRequest, oneByOne: boolean, signal?: AbortSignal): Promise<AttemptPair>;
  delayMs(): number;
  waitedMs(): number;
}

export type EndAttempt = (reported?: ReportedLimit) => void;

export interface AttemptPair {
  readonly end: EndAttempt;
  /** With `oneByOne`, waits for the limits. Without, undefined if the limits no longer allow the attempt. */
  startSecond(): Promise<EndAttempt | undefined>;
  /** Lets other requests start. The caller must always call `release`, even after `startSecond`. */
  release(): void;
}

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
    // Requests wait in the order in which they came.
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

/** There must be only one call of `waitFor` at a time. */
function createTurns(limits: readonly RequestLimit[], options: Pick<PacerOptions, "clock" | "events">) {
  const { clock } = options;
  const waiter = createWaiter(options);
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
  const message = `${method} ${path} was not sent: ${reason}; the next request may be sent in ${minutes} minutes`;
  const hint = `run the same command again in ${minutes} minutes`;
  return new StackError("rate-limited", message, { method, path, applied: "no", hint });
}

/** There must be only one wait at a time. */
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
