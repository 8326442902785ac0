import { describe, expect, it } from "vitest";
import { mergePacing, parsePacing } from "../../../src/config/stacks/stack-settings.ts";
import { parseRate } from "../../../src/config/time.ts";

describe("parseRate", () => {
  it.each([
    ["10/10s", { requests: 10, perMs: 10_000 }],
    ["100/1m", { requests: 100, perMs: 60_000 }],
    ["5/s", { requests: 5, perMs: 1000 }],
  ])("reads %s", (text, rate) => expect(parseRate(text)).toEqual(rate));

  it.each(["", "10", "10/", "/10s", "0/10s", "1.5/s", "10/10", "ten/s", "-1/s"])("refuses the text %j", (text) =>
    expect(parseRate(text)).toBeUndefined(),
  );
});

describe("pacing settings", () => {
  it("are merged, and a later layer overrides an earlier one", () => {
    const rate = { requests: 1, perMs: 1000 };
    const merged = mergePacing([{ concurrency: 2, timeout: 5 }, { concurrency: 3, rate }, { timeout: 7 }]);
    expect(merged).toEqual({ concurrency: 3, timeoutMs: 7, consistencyWaitMs: 10_000, rate });
  });

  it("have defaults", () =>
    expect(mergePacing([])).toEqual({ concurrency: 4, timeoutMs: 30_000, consistencyWaitMs: 10_000 }));

  it.each([{ concurrency: "0" }, { concurrency: "65" }, { concurrency: "two" }, { rate: "10" }, { timeout: "30" }])(
    "refuse %j by the name of the flag",
    (text) => {
      const [setting] = Object.keys(text);
      expect(() => parsePacing(text)).toThrow(
        expect.objectContaining({ code: "usage", message: expect.stringContaining(`--${setting}`) }),
      );
    },
  );
});
