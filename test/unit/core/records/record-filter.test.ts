import fc from "fast-check";
import { expect, it } from "vitest";
import { matchesGlob, isSelected } from "../../../../src/core/records/record-filter.ts";
import { propertyRuns } from "../../../support/tries.ts";

const named = (name: string): Parameters<typeof isSelected>[0] => ({ kind: "dashboards", id: "id-1", name });

it.each([
  ["Prod / API", ["Prod*"], [], true],
  ["Prod / API", ["*API"], [], true],
  ["Prod / API", ["prod*"], [], false],
  ["Prod / API", [], ["*API*"], false],
  ["Prod / API", ["Prod ? API"], [], true],
  ["a.b", ["a?b"], [], true],
  ["a.b", ["a[.]b"], [], false],
  ["line\nbreak", ["line*break"], [], true],
  ["a😀b", ["a?b"], [], true],
  ["a😀b", ["a??b"], [], false],
  ["aXbXc", ["a*X?"], [], true],
  ["ab", ["a**b*"], [], true],
  ["", ["*"], [], true],
  ["a", ["a?"], [], false],
  ["a".repeat(1000), [`${"*a".repeat(30)}b`], [], false],
  ["anything", ["id-1"], [], true],
  ["anything", [], [], true],
])("%j with include %j and exclude %j is %s", (name, include, exclude, expected) => {
  expect(isSelected(named(name), { include, exclude })).toBe(expected);
});

const letters = (most: number): fc.Arbitrary<string> =>
  fc.array(fc.constantFrom("a", "b", "😀", "*", "?", "."), { maxLength: most }).map((each) => each.join(""));

it("a glob pattern matches the same texts as its regular expression", () => {
  fc.assert(
    fc.property(letters(8), letters(10), fc.constantFrom("?" as const, "" as const), (pattern, text, one) => {
      const literal = pattern.replaceAll(/[.?]/g, (sign) => (sign === one ? "." : `\\${sign}`));
      const expression = new RegExp(`^${literal.replaceAll("*", ".*")}$`, "su");
      expect(matchesGlob(pattern, text, one)).toBe(expression.test(text));
    }),
    propertyRuns(2000),
  );
});
