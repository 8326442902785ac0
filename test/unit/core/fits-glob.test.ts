import fc from "fast-check";
import { expect, it } from "vitest";
import { fitsGlob } from "../../../src/core/records/record-filter.ts";
import { propertyRuns } from "../../support/tries.ts";

const letters = (most: number): fc.Arbitrary<string> =>
  fc.array(fc.constantFrom("a", "b", "😀", "*", "?", "."), { maxLength: most }).map((each) => each.join(""));

it("fits what the regular expression of the pattern does", () => {
  fc.assert(
    fc.property(letters(8), letters(10), fc.constantFrom("?" as const, "" as const), (pattern, text, one) => {
      const literal = pattern.replaceAll(/[.?]/g, (sign) => (sign === one ? "." : `\\${sign}`));
      const expression = new RegExp(`^${literal.replaceAll("*", ".*")}$`, "su");
      expect(fitsGlob(pattern, text, one)).toBe(expression.test(text));
    }),
    propertyRuns(2000),
  );
});
