import { LineCounter, parseDocument } from "yaml";
import { describe, expect, it } from "vitest";
import { mayHoldMoreValues, offsetOfRepeatedKey } from "../../../../src/core/text/yaml-checks.ts";

describe("checks of YAML before and after parsing", () => {
  it.each(["[", "- ", "1,", "{a: ", "? ", "- 1\n", "a:\n"])("refuse a text with too many of %j", (piece) => {
    expect(mayHoldMoreValues(`tiles: ${piece.repeat(2001)}`, 1000)).toBe(true);
    expect(mayHoldMoreValues(`tiles: ${piece.repeat(900)}`, 1000)).toBe(false);
  });

  it("accept a long text", () => {
    expect(mayHoldMoreValues(`a: ${"word ".repeat(10_000)}`, 1000)).toBe(false);
  });

  it("find a repeated key of a mapping and its position", () => {
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
