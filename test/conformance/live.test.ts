import { expect, test } from "vitest";
import { runLive } from "./run-live.ts";
import { RULES } from "./topics.ts";

const { STACKFERRY_CONFORMANCE_URL: url, STACKFERRY_CONFORMANCE_KEY: key } = process.env;
const force = process.env["STACKFERRY_CONFORMANCE_FORCE"] === "1";

// The stack's rate limit decides how long this test takes: about 20 minutes at 100 requests a minute.
const MAX_TIME_MS = 3_600_000;

test.skipIf(url === undefined || key === undefined)(
  "a live stack holds every rule",
  async () => {
    const outcome = await runLive({
      url: url ?? "",
      key: key ?? "",
      force,
      rules: RULES,
      sleep: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
      // oxlint-disable-next-line no-console
      tell: (line) => console.log(line),
    });
    expect(outcome.failed).toEqual([]);
  },
  MAX_TIME_MS,
);
