import { describe, expect, it } from "vitest";
import { printableText, printableJson } from "../../../../src/core/text/printable.ts";

describe("printable", () => {
  it.each([
    ["\u001b[31mred", "\\u{1b}[31mred"],
    ["a\nb\tc\r", "a\\u{a}b\\u{9}c\\u{d}"],
    ["\u009b2J\u007f", "\\u{9b}2J\\u{7f}"],
    ["user\u202egnp.exe", "user\\u{202e}gnp.exe"],
    ["\u2066\u2069\u200f\u061c\u2028", "\\u{2066}\\u{2069}\\u{200f}\\u{61c}\\u{2028}"],
    ["\ud800", "\\u{d800}"],
  ])("escapes control and bidi characters: %j", (text, shown) => expect(printableText(text)).toBe(shown));

  it("leaves letters, emoji and right-to-left text unchanged", () => {
    for (const text of ["Übersicht 概要", "👩‍👩‍👧 família", "שלום", "e\u0301"]) expect(printableText(text)).toBe(text);
  });

  it("escapes control characters in JSON, which is parsed to the same value", () => {
    const value = { name: "\u001b\u009b\u202e\u2028\u007f ü 👍" };
    const json = printableJson(value);
    for (const control of ["\u001b", "\u009b", "\u202e", "\u2028", "\u007f", "\n"]) expect(json).not.toContain(control);
    expect(JSON.parse(json)).toEqual(value);
  });

  it.each(["\ufe00", "\u{1d173}", "\u17b4", "\u2800", "\u180b", "\u0600"])(
    "escapes the invisible character %j",
    (hidden) => {
      expect(printableText(`pr${hidden}od`)).toMatch(/^pr\\u\{[\da-f]+\}od$/);
    },
  );

  it("leaves the joiners and variation selectors of emoji", () => {
    expect(printableText("❤\ufe0f 👩\u200d💻")).toBe("❤\ufe0f 👩\u200d💻");
  });
});
