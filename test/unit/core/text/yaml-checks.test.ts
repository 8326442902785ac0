import { LineCounter, parseDocument } from "yaml";
import { describe, expect, it } from "vitest";
import { mayHoldMoreValues, offsetOfRepeatedKey } from "../../../../src/core/text/yaml-checks.ts";

describe("what is asked of YAML before and after it is parsed", () => {
  it.each(["[", "- ", "1,", "{a: ", "? ", "- 1\n", "a:\n"])("is that it does not hold too many of %j", (piece) => {
    expect(mayHoldMoreValues(`tiles: ${piece.repeat(2001)}`, 1000)).toBe(true);
    expect(mayHoldMoreValues(`tiles: ${piece.repeat(900)}`, 1000)).toBe(false);
  });

  it("is not that a text is long", () => {
    expect(mayHoldMoreValues(`a: ${"word ".repeat(10_000)}`, 1000)).toBe(false);
  });

  it("is whether a mapping has a key twice, and where", () => {
    const at = (text: string): number | undefined => {
      const lines = new LineCounter();
      const found = offsetOfRepeatedKey(parseDocument(text, { lineCounter: lines, uniqueKeys: false }));
      return found === undefined ? undefined : lines.linePos(found).line;
    };
    expect(at("a: 1\nb:\n  a: 1\n")).toBeUndefined();
    expect(at("a: 1\nb:\n  c: 1\n  c: 2\n")).toBe(4);
    expect(at('1: a\n"1": b\n')).toBe(2);
  });
});
