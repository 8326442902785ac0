import { describe, expect, test } from "vitest";
import type { Attempt, RetryRule } from "../../../src/client/failures.ts";
import type { StackRequest } from "../../../src/client/request.ts";
import { createRetry, type RetryOptions } from "../../../src/client/retry.ts";
import { StackError, type ErrorCode } from "../../../src/core/errors.ts";
import type { RunEvent } from "../../../src/core/events.ts";
import { readRequest as read } from "./support/clients.ts";
import { instantClock } from "../../support/instant-clock.ts";

const create: StackRequest = { ...read, method: "POST", writes: true, repeatable: false };

interface Fault {
  readonly code?: ErrorCode;
  readonly retry?: RetryRule;
  readonly applied?: "no" | "unknown";
  readonly waitMs?: number;
  readonly ms?: number;
  /** The reason why there was no connection. */
  readonly unconnected?: "refused" | "unknown-host";
}

function failed({
  code = "unavailable",
  retry = "if-repeatable",
  applied = "unknown",
  waitMs,
  ms = 0,
  unconnected,
}: Fault = {}): Attempt<string> {
  const error = new StackError(code, "it failed", { method: "GET", path: "/x", applied });
  return { ok: false, error, retry, ms, waitMs, connectionFailure: unconnected };
}

const limited = (waitMs?: number): Attempt<string> =>
  failed({ code: "rate-limited", retry: "always", applied: "no", waitMs });
const done: Attempt<string> = { ok: true, value: "done", ms: 0 };

/** Runs an operation whose attempts end as given. The last end repeats for all further attempts. */
function run(
  request: StackRequest,
  attempts: readonly Attempt<string>[],
  options: Partial<RetryOptions> = {},
  signal?: AbortSignal,
) {
  const clock = instantClock();
  const events: RunEvent[] = [];
  let tries = 0;
  const retry = createRetry({
    retryBudgetMs: 120_000,
    clock,
    random: () => 1,
    events: (event) => events.push(event),
    delayMs: () => 0,
    wasReached: () => true,
    ...options,
  });
  const pauseAfter = retry(request, signal);
  const operate = async (): Promise<string> => {
    for (;;) {
      const attempt = attempts[Math.min((tries += 1), attempts.length) - 1] ?? done;
      if (attempt.ok) return attempt.value;
      await pauseAfter(attempt);
    }
  };
  const result = operate();
  return { result, events, slept: clock.slept, tries: () => tries };
}

test("a read is retried with pauses that double up to 15 s", async () => {
  const faults = Array.from({ length: 8 }, () => failed());
  const { result, slept, events } = run(read, [...faults, done]);
  await expect(result).resolves.toBe("done");
  expect(slept).toEqual([250, 500, 1000, 2000, 4000, 8000, 15_000, 15_000]);
  expect(events[0]).toEqual({ type: "retry", method: "GET", path: "/x", reason: "it failed", inMs: 250 });
});

test("pauses are random between zero and the full length", async () => {
  const randoms = [0, 0.5, 0.999];
  const { result, slept } = run(read, [failed(), failed(), failed(), done], { random: () => randoms.shift() ?? 0 });
  await result;
  expect(slept).toEqual([0, 250, 999]);
});

test.each<[string, StackRequest, Fault, number]>([
  ["a create is not repeated after an answer was lost", create, { code: "unreachable" }, 1],
  ["a create is not repeated after a server error", create, { code: "unavailable" }, 1],
  [
    "a create is repeated if it was certainly not applied",
    create,
    { code: "unreachable", retry: "always", applied: "no" },
    2,
  ],
  ["a read is repeated after an answer was lost", read, { code: "unreachable" }, 2],
  ["a permanent refusal is not repeated", read, { code: "rejected", retry: "never", applied: "no" }, 1],
])("%s", async (_, request, fault, expected) => {
  const { result, tries } = run(request, [failed(fault), done]);
  await result.catch(() => {});
  expect(tries()).toBe(expected);
});

test("a write that may still run is repeated only after a pause as long as the failed try", async () => {
  const update: StackRequest = { ...read, method: "PUT", writes: true };
  const late = run(update, [failed({ ms: 30_000 }), done]);
  await expect(late.result).resolves.toBe("done");
  expect(late.slept).toEqual([30_000]);
  const refused = run(update, [failed({ ms: 30_000, applied: "no" }), done]);
  await expect(refused.result).resolves.toBe("done");
  expect(refused.slept).toEqual([250]);
});

test("a failure with Retry-After is retried after that time", async () => {
  const { result, slept } = run(read, [failed({ waitMs: 7000 }), done]);
  await result;
  expect(slept).toEqual([7000]);
});

describe("the retry budget", () => {
  test("ends with the last error, which names the number of tries", async () => {
    const { result, tries, slept } = run(read, [failed({ ms: 1000, applied: "no" })], { retryBudgetMs: 10_000 });
    await expect(result).rejects.toMatchObject({ code: "unavailable", message: expect.stringContaining("5 tries") });
    expect(tries()).toBe(5);
    expect(slept).toEqual([250, 500, 1000, 2000]);
  });

  test("is not used up by rate limit waits that the server asked for", async () => {
    const { result } = run(read, [...Array.from({ length: 10 }, () => limited(60_000)), done], {
      retryBudgetMs: 1000,
      delayMs: () => 60_000,
    });
    await expect(result).resolves.toBe("done");
  });

  test("is used up by rate limit waits that never end in success", async () => {
    const { result, tries } = run(read, [limited(60_000)], { delayMs: () => 60_000 });
    await expect(result).rejects.toMatchObject({ code: "rate-limited" });
    expect(tries()).toBe(12);
  });

  test("is used up by waits of unknown length", async () => {
    const { result, tries } = run(create, [limited()], { delayMs: () => 10_000 });
    await expect(result).rejects.toMatchObject({ code: "rate-limited", failure: { applied: "no" } });
    expect(tries()).toBe(12);
  });
});

describe("a signal that is aborted between two tries", () => {
  const signal = AbortSignal.abort();

  test("interrupts a write that was certainly not applied", async () => {
    const { result, tries } = run(create, [failed({ retry: "always", applied: "no" })], {}, signal);
    await expect(result).rejects.toMatchObject({ code: "interrupted" });
    expect(tries()).toBe(1);
  });

  test("keeps the error of a write that may have been applied", async () => {
    const update: StackRequest = { ...create, method: "PUT", repeatable: true };
    await expect(run(update, [failed()], {}, signal).result).rejects.toMatchObject({ code: "unavailable" });
  });

  test("ends a pause", async () => {
    const stop = new AbortController();
    const sleep = async (_: number, pause?: AbortSignal): Promise<void> => {
      stop.abort();
      pause?.throwIfAborted();
    };
    const { result } = run(read, [failed({ applied: "no" })], { clock: { now: () => 0, sleep } }, stop.signal);
    await expect(result).rejects.toMatchObject({ code: "interrupted" });
  });
});

describe("the retries of a stack that was never reached", () => {
  const unreachable = (unconnected: "refused" | "unknown-host"): Attempt<string> =>
    failed({ code: "unreachable", retry: "always", applied: "no", unconnected });

  /** Retries until the client gives up. Returns the number of attempts, and the seconds of waiting. */
  async function giveUp(unconnected: "refused" | "unknown-host", wasReached: boolean) {
    const { result, tries, slept } = run(read, [unreachable(unconnected)], { wasReached: () => wasReached });
    await expect(result).rejects.toMatchObject({ code: "unreachable" });
    return { tries: tries(), seconds: slept.reduce((sum, ms) => sum + ms, 0) / 1000 };
  }

  test("end within 10 s if the connection is refused", async () => {
    const { seconds, tries } = await giveUp("refused", false);
    expect(seconds).toBeLessThanOrEqual(10);
    expect(tries).toBeGreaterThan(4);
  });

  test("end at once if the host name is unknown", async () => {
    expect(await giveUp("unknown-host", false)).toEqual({ seconds: 0, tries: 1 });
  });

  test.each(["refused", "unknown-host"] as const)(
    "take the whole budget if the stack was reached before (%s)",
    async (why) => {
      expect((await giveUp(why, true)).seconds).toBeGreaterThan(60);
    },
  );
});

test("a refusal after a lost answer leaves it unknown whether the write was applied", async () => {
  const update: StackRequest = { ...read, method: "PUT", writes: true };
  const { result } = run(update, [failed(), failed({ code: "rejected", retry: "never", applied: "no" })]);
  await expect(result).rejects.toMatchObject({ code: "rejected", failure: { applied: "unknown" } });
});
