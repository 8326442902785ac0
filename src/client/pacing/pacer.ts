import pLimit from "p-limit";
import { StackError } from "../../domain/errors.ts";
import type { EventSink } from "../../domain/events.ts";
import type { Clock } from "../../domain/ports.ts";
import { createAnnouncedLimit } from "./announced-limit.ts";
import type { Attempt } from "../attempt.ts";
import { throwIfInterrupted } from "../interruption.ts";
import { createLearnedLimit } from "./learned-limit.ts";
import type { EndRequest, Hold } from "./limit.ts";
import { createRateLimit } from "./rate-limit.ts";
import type { Rate } from "./rate-limit.ts";
import type { StackRequest } from "../stack-request.ts";
import { createWaiter } from "./waiter.ts";

/** Longer than this no limit makes anyone wait: the user is told instead. */
const LONGEST_WAIT_MS = 15 * 60_000;

export interface PacerOptions {
  readonly concurrency: number;
  readonly rate?: Rate;
  readonly clock: Clock;
  readonly events: EventSink;
}

/** Decides when requests start: one for a client, shared by all kinds, because the stack counts them together. */
export interface Pacer {
  /** Runs an operation when one of the client's places is free. It keeps its place while it waits and tries again. */
  run<T>(operation: () => Promise<T>): Promise<T>;
  /**
   * Sends one try when all limits allow it, and learns from the answer.
   * @throws StackError `rate-limited` where that would take longer than 15 minutes
   */
  send<T>(
    request: StackRequest,
    signal: AbortSignal | undefined,
    tryOnce: () => Promise<Attempt<T>>,
  ): Promise<Attempt<T>>;
  /** How long the present hold lasts, in milliseconds. */
  heldForMs(): number;
  /** All the time that requests were held, in milliseconds. */
  waitedMs(): number;
}

/** Combines the number of requests at a time, the user's own rate, and the limits that the stack announces or that are learned. */
export function createPacer({ concurrency, rate, clock, events }: PacerOptions): Pacer {
  const places = pLimit(concurrency);
  const gate = pLimit(1);
  const waiter = createWaiter(clock);
  const limits = [createAnnouncedLimit(), createLearnedLimit(), ...(rate === undefined ? [] : [createRateLimit(rate)])];
  let told = 0;

  const hold = (): Hold | undefined => {
    const holds = limits.flatMap((limit) => limit.hold(clock.now()) ?? []);
    return holds.reduce<Hold | undefined>(
      (longest, one) => (longest && longest.untilMs >= one.untilMs ? longest : one),
      undefined,
    );
  };

  /** One request at a time, first come, first served. */
  const enter = async (request: StackRequest, signal: AbortSignal | undefined): Promise<readonly EndRequest[]> => {
    const what = `${request.method} ${request.path} was not sent`;
    throwIfInterrupted(signal, what);
    for (let held = hold(); held !== undefined; held = hold()) {
      if (held.reason !== undefined && held.untilMs - clock.now() > LONGEST_WAIT_MS)
        throw waitTooLong(request, held, clock.now());
      if (held.reason !== undefined && held.untilMs > told) {
        told = held.untilMs;
        events({ type: "wait", reason: held.reason, untilMs: held.untilMs });
      }
      await waiter.wait(held.untilMs, signal);
      throwIfInterrupted(signal, what);
    }
    return limits.map((limit) => limit.begin(clock.now()));
  };

  return {
    run: (operation) => places(operation),
    async send(request, signal, tryOnce) {
      const ends = await gate(() => enter(request, signal));
      let attempt: Awaited<ReturnType<typeof tryOnce>> | undefined;
      try {
        attempt = await tryOnce();
        return attempt;
      } finally {
        for (const end of ends) end(attempt?.heard, clock.now());
        waiter.wake();
      }
    },
    heldForMs: () => {
      const untilMs = hold()?.untilMs ?? 0;
      return untilMs === Infinity ? 0 : Math.max(0, untilMs - clock.now());
    },
    waitedMs: () => waiter.waitedMs(),
  };
}

function waitTooLong({ method, path }: StackRequest, { untilMs, reason }: Hold, now: number): StackError {
  const minutes = Math.ceil((untilMs - now) / 60_000);
  return new StackError("rate-limited", `${method} ${path} was not sent: ${reason}, the next in ${minutes} minutes`, {
    method,
    path,
    applied: "no",
    hint: `run the same command again in ${minutes} minutes`,
  });
}
