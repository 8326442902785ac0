import { expect, it } from "vitest";
import { yieldToEventLoop } from "../../../src/core/event-loop.ts";

/** Keeps the processor busy and asks for a turn of the event loop for each record. */
async function computeLong(isEnough: () => boolean, signal?: AbortSignal): Promise<void> {
  while (!isEnough()) await yieldToEventLoop(signal);
}

it("a turn of the event loop lets timers run in the midst of a long computation", async () => {
  let hasRun = false;
  setTimeout(() => (hasRun = true), 1);
  await computeLong(() => hasRun);
  expect(hasRun).toBe(true);
});

it("a turn of the event loop ends a long computation when the run is interrupted", async () => {
  const interrupted = new AbortController();
  setTimeout(() => interrupted.abort(), 1);
  await expect(computeLong(() => false, interrupted.signal)).rejects.toMatchObject({ code: "interrupted" });
});
