import { describe, expect, it } from "vitest";
import type { Removal } from "../../../../src/core/plan/plan.ts";
import {
  countAllowedDeletes,
  exceedsMaxDelete,
  parseMaxDelete,
  refuseTooManyDeletes,
} from "../../../../src/import/remove/mirror.ts";

const removal = (action: Removal["action"]): Removal => ({
  kind: "dashboards",
  sourceId: "a",
  name: "A",
  targetId: "b",
  action,
  isKnown: true,
});

describe("the --max-delete limit", () => {
  it.each([
    ["12", { count: 12 }],
    ["0", { count: 0 }],
    [" 30% ", { percent: 30 }],
    ["100%", { percent: 100 }],
    ["101%", undefined],
    ["%", undefined],
    ["", undefined],
    ["-1", undefined],
    ["1.5", undefined],
    ["1e3", undefined],
    ["x12", undefined],
    ["12x", undefined],
    ["1234567890", undefined],
  ])("in the text %j is parsed as %j", (text, expected) => {
    expect(parseMaxDelete(text)).toEqual(expected);
  });

  it.each([
    [{ count: 2 }, 1000, 2],
    [{ percent: 20 }, 100, 20],
    [{ percent: 20 }, 104, 20],
    [{ percent: 20 }, 10, 5],
    [{ percent: 20 }, 0, 5],
    [{ percent: 100 }, 7, 7],
  ])("of %j, where there are %d records, allows %d deletes", (max, of, expected) => {
    expect(countAllowedDeletes(max, of)).toBe(expected);
  });

  it("counts only planned deletes, and allows exactly as many as the limit", () => {
    const removals = [removal("delete"), removal("delete"), removal("skip"), removal("blocked"), removal("unchanged")];
    expect(exceedsMaxDelete({ removals, allowed: 2, of: 5 })).toBe(false);
    expect(exceedsMaxDelete({ removals, allowed: 1, of: 5 })).toBe(true);
    expect(() => refuseTooManyDeletes({ mirror: { removals, allowed: 2, of: 5 } })).not.toThrow();
    expect(() => refuseTooManyDeletes({ mirror: { removals, allowed: 1, of: 5 } })).toThrow(
      expect.objectContaining({ code: "incomplete" }),
    );
    expect(() => refuseTooManyDeletes({})).not.toThrow();
  });
});
