import stringWidth from "string-width";
import { expect, it } from "vitest";
import { fitText } from "../../../../src/core/text/fit-width.ts";

it.each([
  ["short", 10, "short"],
  ["exactly ten", 11, "exactly ten"],
  ["too long for it", 8, "too lon…"],
  ["概要概要", 5, "概要…"],
  ["概要概要", 4, "概…"],
  ["👩‍👩‍👧👩‍👩‍👧", 3, "👩‍👩‍👧…"],
  ["x", 0, ""],
])("cuts %j to %i cells", (text, width, cut) => {
  expect(fitText(text, width)).toBe(cut);
  expect(stringWidth(fitText(text, width))).toBeLessThanOrEqual(width);
});
