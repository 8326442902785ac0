import { describe, expect, it } from "vitest";
import { estimateMs, estimateText } from "../../../../src/cli/output/progress.ts";

describe("estimateMs", () => {
  it("is the rest at the rate so far, and unknown before a few records", () => {
    expect(estimateMs({ total: 1000, done: 0, elapsedMs: 0 })).toBeUndefined();
    expect(estimateMs({ total: 1000, done: 100, elapsedMs: 10_000 })).toBe(90_000);
  });

  it("takes the rate at the end of the last pause, and not that of a burst", () => {
    const steady = { done: 60, elapsedMs: 10_000, pauses: 1 };
    expect(estimateMs({ total: 700, done: 119, elapsedMs: 11_000, steady })).toBe(99_000);
  });

  it.each([
    [1000, "about 9 min left"],
    [300, "about 2 min left"],
    [200, "about 60 s left"],
    [100, ""],
  ])("estimateText for %i records at 100 in a minute is %j", (total, text) => {
    expect(estimateText({ total, done: 100, elapsedMs: 60_000 })).toBe(text);
  });
});
