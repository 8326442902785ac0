import { describe, expect, it } from "vitest";
import { describeCondition } from "../../../src/report/model/query.ts";

describe("an alert in a report", () => {
  it.each([
    ["above", "is above 100 over 5m"],
    ["above_exclusive", "is strictly above 100 over 5m"],
    ["below", "is below 100 over 5m"],
    ["below_or_equal", "is 100 or below over 5m"],
    ["equal", "is exactly 100 over 5m"],
    ["not_equal", "is anything but 100 over 5m"],
    ["between", "is between 100 and 2000.5 over 5m"],
    ["not_between", "is outside 100 to 2000.5 over 5m"],
    ["sideways", "is sideways 100 over 5m"],
    ["toString", "is toString 100 over 5m"],
  ])("has words for the condition %s", (thresholdType, words) => {
    expect(describeCondition({ thresholdType, threshold: 100, thresholdMax: 2000.5, interval: "5m" })).toBe(words);
  });

  it("has the number of windows, the grouping and the offset in its condition", () => {
    const more = { numConsecutiveWindows: 3, groupBy: "ServiceName", scheduleOffsetMinutes: 5 };
    expect(describeCondition({ thresholdType: "above", threshold: 1, interval: "1h", ...more })).toBe(
      "is above 1 over 1h, 3 windows in a row, for any ServiceName, windows begin 5 min late",
    );
  });
});
