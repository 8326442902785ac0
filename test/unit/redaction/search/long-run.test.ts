import fc from "fast-check";
import { expect, it } from "vitest";
import { hasLongRun } from "../../../../src/redaction/search/prefilter.ts";

const ROW = /[\w+/-]{20}/;

it("finds twenty characters of tokens in a row wherever they stand, and no nineteen", () => {
  const marks = fc.constantFrom(" ", ":", ".", "\n", "é", "«");
  const parts = fc.array(fc.tuple(fc.nat({ max: 45 }), marks), { maxLength: 8 });
  fc.assert(
    fc.property(parts, (lengths) => {
      const text = lengths.map(([length, mark]) => "aZ0_-+/".repeat(7).slice(0, length) + mark).join("");
      expect(hasLongRun(text)).toBe(ROW.test(text));
    }),
    { seed: 7, numRuns: 2000 },
  );
  expect(hasLongRun("a".repeat(19))).toBe(false);
  expect(hasLongRun(`${"a".repeat(19)}.${"b".repeat(20)}`)).toBe(true);
});
