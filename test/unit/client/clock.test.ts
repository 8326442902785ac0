import { expect, test, vi } from "vitest";
import { systemClock } from "../../../src/client/clock.ts";
import { normaliseClientOptions } from "../../../src/client/options.ts";

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

test("the clock of a client goes on evenly if this machine's clock jumps during a run", () => {
  const identity = { variant: "self-hosted", baseUrl: "http://localhost" } as const;
  const { clock } = normaliseClientOptions({ identity, credential: { apiKey: "key" } });
  const before = clock.now();
  expect(Math.abs(before - Date.now())).toBeLessThan(60_000);
  const jump = vi.spyOn(Date, "now").mockReturnValue(before - 3_600_000);
  expect(clock.now() - before).toBeGreaterThanOrEqual(0);
  jump.mockRestore();
});
