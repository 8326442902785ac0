import { expect, it } from "vitest";
import type { RunEvent } from "../../../../src/core/events.ts";
import { parseGlobalFlags } from "../../../../src/cli/program/flags.ts";
import { createOutputScrubber, processIo } from "../../../../src/cli/program/io.ts";
import { createRunNotifier } from "../../../../src/cli/program/notify-run.ts";
import { startListener } from "../../../support/listener.ts";
import { runSummary } from "../../../support/run-summary.ts";

it("--notify gives up on a silent service after its timeout, with a warning for the start and for the end", async () => {
  await using silent = await startListener("never");
  const told: RunEvent[] = [];
  const session = {
    globals: parseGlobalFlags({ notify: silent.url }),
    io: { ...processIo(), env: {} },
    outputScrubber: createOutputScrubber(),
    events: (event: RunEvent) => void told.push(event),
  };
  const begun = Date.now();
  const notifier = await createRunNotifier(session, 200);
  notifier.start();
  expect(told, "start() does not wait for the service").toEqual([]);
  await notifier.end(runSummary);
  expect(Date.now() - begun).toBeGreaterThanOrEqual(390);
  const warning = { code: "notify-failed", message: expect.stringContaining("no answer within 0.2 s") };
  expect(told).toEqual([
    { type: "warning", warning },
    { type: "warning", warning },
  ]);
});
