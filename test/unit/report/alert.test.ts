import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/core/json.ts";
import { readAlert } from "../../../src/report/model/alert.ts";

const read = (body: JsonObject) => readAlert({ kind: "alerts", id: "1", name: "a", body });

describe("an alert in a report", () => {
  it.each([
    ["above", "is above 100 over 5m"],
    ["above_exclusive", "is strictly above 100 over 5m"],
    ["below", "is below 100 over 5m"],
    ["below_or_equal", "is 100 or below over 5m"],
    ["equal", "is exactly 100 over 5m"],
    ["not_equal", "is anything but 100 over 5m"],
    ["between", "is between 100 and 2,000.5 over 5m"],
    ["not_between", "is outside 100 to 2,000.5 over 5m"],
    ["sideways", "is sideways 100 over 5m"],
    ["toString", "is toString 100 over 5m"],
  ])("has words for the condition %s", (thresholdType, words) => {
    expect(read({ thresholdType, threshold: 100, thresholdMax: 2000.5, interval: "5m" }).condition).toBe(words);
  });

  it("has the number of windows, the grouping and the offset in its condition", () => {
    const more = { numConsecutiveWindows: 3, groupBy: "ServiceName", scheduleOffsetMinutes: 5 };
    expect(read({ thresholdType: "above", threshold: 1, interval: "1h", ...more }).condition).toBe(
      "is above 1 over 1h, 3 windows in a row, for any ServiceName, windows begin 5 min late",
    );
  });
});
