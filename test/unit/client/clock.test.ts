import { expect, test } from "vitest";
import { systemClock } from "../../../src/client/clock.ts";

test("the system clock sleeps for the given time", async () => {
  const since = performance.now();
  await systemClock.sleep(60);
  expect(performance.now() - since).toBeGreaterThanOrEqual(55);
  await systemClock.sleep(-1);
});

test("a sleep ends with the signal's reason", async () => {
  const reason = new Error("enough");
  await expect(systemClock.sleep(60_000, AbortSignal.abort(reason))).rejects.toBe(reason);
  const stop = new AbortController();
  const asleep = systemClock.sleep(60_000, stop.signal);
  stop.abort(reason);
  await expect(asleep).rejects.toBe(reason);
});
