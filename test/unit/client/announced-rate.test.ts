import { describe, expect, test } from "vitest";
import { announcedRateAfter } from "../../../src/client/announced-rate.ts";

const S = 1000;

describe("the rate that a stack announces", () => {
  test.each([
    ["nothing is announced", undefined, {}, 1, undefined],
    ["no later response announces it", { requests: 100 }, { resetMs: 60 * S }, 2, { requests: 100 }],
    [
      "the window began with this client",
      undefined,
      { limit: 100, remaining: 99, resetMs: 60 * S },
      1,
      { requests: 100, windowMs: 60 * S },
    ],
    ["others began the window", undefined, { limit: 100, remaining: 70, resetMs: 20 * S }, 1, { requests: 100 }],
    ["the number of what is left is missing", undefined, { limit: 100, resetMs: 20 * S }, 1, { requests: 100 }],
    [
      "a window is nearly over",
      { requests: 100, windowMs: 60 * S },
      { limit: 100, remaining: 2, resetMs: 1 * S },
      98,
      { requests: 100, windowMs: 60 * S },
    ],
    ["nothing is allowed", undefined, { limit: 0, remaining: 0, resetMs: 1 * S }, 1, undefined],
  ])("if %s", (_name, known, headers, sent, rate) => expect(announcedRateAfter(known, headers, sent)).toEqual(rate));
});
