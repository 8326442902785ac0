import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { literalSearch } from "../../../../src/redaction/search/literal-search.ts";
import { tries } from "../../../support/tries.ts";

const bits = (lists: readonly (readonly string[])[], text: string): number =>
  lists.reduce(
    (sum, literals, list) => sum + (literals.some((each) => text.toLowerCase().includes(each)) ? 2 ** list : 0),
    0,
  );

describe("the search for many literals", () => {
  it.each([
    [["he", "she", "his", "hers"], "ushers", 0b1011],
    [["abcd", "bc"], "xabcx", 0b10],
    [["abab", "ba"], "aabab", 0b11],
    [["é", "ß"], "CAFÉ", 0b1],
    [["a"], "", 0],
    [[], "anything", 0],
  ])("for %j in %j says %i", (literals, text, expected) => {
    const lists = literals.map((literal) => [literal]);
    expect(literalSearch(lists)(text)).toBe(expected);
    expect(bits(lists, text)).toBe(expected);
  });

  it("says of each list whether it has one in the text, as looking for each would", () => {
    const text = (most: number) =>
      fc.array(fc.constantFrom("a", "b", "c", "é", "-"), { minLength: 1, maxLength: most }).map((all) => all.join(""));
    const lists = fc.array(fc.array(text(4), { maxLength: 3 }), { maxLength: 4 });
    fc.assert(
      fc.property(lists, fc.array(text(12), { maxLength: 4 }), (all, texts) => {
        const search = literalSearch(all);
        for (const each of texts) {
          expect(search(each)).toBe(bits(all, each));
          expect(search(`${each.toUpperCase()}𝄞`)).toBe(bits(all, each));
        }
      }),
      tries(),
    );
  });
});
