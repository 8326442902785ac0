import { describe, expect, it } from "vitest";
import { countAllowedDeletes, parseMaxDelete } from "../../../../src/import/remove/mirror.ts";

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
});
