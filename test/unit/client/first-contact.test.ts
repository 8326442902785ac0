import { describe, expect, test } from "vitest";
import type { Attempt } from "../../../src/client/failures.ts";
import type { StackRequest } from "../../../src/client/request.ts";
import { createRetry } from "../../../src/client/retry.ts";
import { StackError } from "../../../src/core/errors.ts";
import { readRequest } from "./support/clients.ts";
import { leapingClock } from "./support/clocks.ts";

const update: StackRequest = { ...readRequest, method: "PUT", writes: true };

function unreachable(unconnected: "refused" | "unknown-host"): Attempt<string> {
  const error = new StackError("unreachable", "no", { method: "PUT", path: "/x", applied: "no" });
  return { ok: false, error, retry: "always", ms: 0, unconnected };
}

/** Tries until given up, and answers what was thrown and how long that took. */
async function giveUp(attempts: readonly Attempt<string>[], wasReached: boolean) {
  const clock = leapingClock();
  const since = clock.now();
  let tries = 0;
  const retry = createRetry({
    retryBudgetMs: 120_000,
    clock,
    random: () => 1,
    events: () => {},
    delayMs: () => 0,
    wasReached: () => wasReached,
  });
  const pauseAfter = retry(update, undefined);
  const operate = async (): Promise<string> => {
    for (;;) {
      const attempt = attempts[Math.min(tries, attempts.length - 1)];
      tries += 1;
      if (!attempt) throw new Error("no attempt");
      if (attempt.ok) return attempt.value;
      await pauseAfter(attempt);
    }
  };
  const error: unknown = await operate().catch((thrown: unknown) => thrown);
  if (!(error instanceof StackError)) throw new Error("it was not given up");
  return { error, tries, seconds: (clock.now() - since) / 1000 };
}

describe("a stack that was never reached", () => {
  test("is given up on within 10 s where the connection is refused", async () => {
    const { seconds, tries } = await giveUp([unreachable("refused")], false);
    expect(seconds).toBeLessThanOrEqual(10);
    expect(tries).toBeGreaterThan(4);
  });

  test("is given up on at once where its name is unknown", async () => {
    const { seconds, tries } = await giveUp([unreachable("unknown-host")], false);
    expect({ seconds, tries }).toEqual({ seconds: 0, tries: 1 });
  });

  test("gets the whole retry budget once it has been reached", async () => {
    for (const attempt of [unreachable("refused"), unreachable("unknown-host")]) {
      const { seconds } = await giveUp([attempt], true);
      expect(seconds).toBeGreaterThan(60);
    }
  });
});

test("a refusal does not hide that an earlier try may have been carried out", async () => {
  const lost = new StackError("unavailable", "lost", { method: "PUT", path: "/x", applied: "unknown" });
  const refused = new StackError("rejected", "refused", { method: "PUT", path: "/x", status: 400, applied: "no" });
  const attempts: Attempt<string>[] = [
    { ok: false, error: lost, retry: "if-repeatable", ms: 0 },
    { ok: false, error: refused, retry: "never", ms: 0 },
  ];
  const { error } = await giveUp(attempts, true);
  expect(error).toMatchObject({ code: "rejected", failure: { applied: "unknown", status: 400 } });
});
