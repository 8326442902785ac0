import stringWidth from "string-width";
import { describe, expect, it } from "vitest";
import { LineCounter, parseDocument } from "yaml";
import { fitText } from "../../../src/core/text/fit-width.ts";
import { pluralize, upperFirst } from "../../../src/core/text/format.ts";
import { printableJson, printableText, visibleText } from "../../../src/core/text/printable.ts";
import { closestName, nameSimilarity } from "../../../src/core/text/similarity.ts";
import { mayHoldMoreValues, offsetOfRepeatedKey } from "../../../src/core/text/yaml-checks.ts";
import { nounOf } from "../../../src/kinds/nouns.ts";
import { kinds, mappableSpaces } from "../../../src/kinds/registry.ts";

it.each([
  ["short", 10, "short"],
  ["exactly ten", 11, "exactly ten"],
  ["too long for it", 8, "too lon…"],
  ["概要概要", 5, "概要…"],
  ["概要概要", 4, "概…"],
  ["👩‍👩‍👧👩‍👩‍👧", 3, "👩‍👩‍👧…"],
  ["x", 0, ""],
])("fitText cuts %j to %i cells", (text, width, cut) => {
  expect(fitText(text, width)).toBe(cut);
  expect(stringWidth(fitText(text, width))).toBeLessThanOrEqual(width);
});

it.each([
  [1, "dashboard", "1 dashboard"],
  [0, "dashboard", "0 dashboards"],
  [2, "saved search", "2 saved searches"],
  [3, "entry", "3 entries"],
  [2, "key", "2 keys"],
])("pluralize(%i, %s)", (count, noun, text) => {
  expect(pluralize(count, noun)).toBe(text);
});

it("an unknown kind is its own noun, even if it is named like a member of every object", () => {
  expect(nounOf("constructor")).toBe("constructor");
});

it("the plural of each kind's singular is the kind's name", () => {
  expect(kinds.map(({ singular }) => pluralize(2, singular))).toEqual(
    kinds.map(({ name }) => `2 ${name.replace("-", " ")}`),
  );
  expect(mappableSpaces().filter((space) => nounOf(space).endsWith("s"))).toEqual([]);
});

describe("printable", () => {
  it.each([
    ["\u001b[31mred", "\\u{1b}[31mred"],
    ["a\nb\tc\r", "a\\u{a}b\\u{9}c\\u{d}"],
    ["\u009b2J\u007f", "\\u{9b}2J\\u{7f}"],
    ["user\u202egnp.exe", "user\\u{202e}gnp.exe"],
    ["\u2066\u2069\u200f\u061c\u2028", "\\u{2066}\\u{2069}\\u{200f}\\u{61c}\\u{2028}"],
    ["\ud800", "\\u{d800}"],
  ])("escapes the control and bidi characters of %j", (text, shown) => expect(printableText(text)).toBe(shown));

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

describe("visibleText", () => {
  it.each([
    ["\u202eabc", "\\u{202e}abc"],
    ["a\u001b[2J", "a\\u{1b}[2J"],
    ["a\u200bb\ufeff", "a\\u{200b}b\\u{feff}"],
    ["\ud800", "\\u{d800}"],
    ["漢字 🎉 👩‍🔬 שלום", "漢字 🎉 👩‍🔬 שלום"],
  ])("shows %j as %j", (text, shown) => expect(visibleText(text)).toBe(shown));
});

describe("closestName", () => {
  it.each([
    ["exprot", "export"],
    ["EXPORT", "export"],
    ["verfy", "verify"],
  ])("finds the nearest name to %s", (typed, meant) => {
    expect(closestName(typed, ["import", "export", "verify"])).toBe(meant);
  });

  it("prefers the one name that has it as a word", () => {
    expect(closestName("searches", ["sources", "webhooks", "saved-searches"])).toBe("saved-searches");
    expect(closestName("source", ["sources", "saved-sources"])).toBe("sources");
  });

  it("finds nothing if no name is similar", () => expect(closestName("zzz", ["import", "export"])).toBeUndefined());
});

describe("nameSimilarity", () => {
  it.each([
    ["Audit log", "audit-LOG", 1],
    ["Übersicht", "ubersicht", 1],
    ["logs", "metrics", 0],
    ["", "", 0],
    ["a", "b", 0],
  ])("of %j and %j is %d", (left, right, value) => expect(nameSimilarity(left, right)).toBe(value));

  it("is higher for names with a longer common part", () => {
    expect(nameSimilarity("oncall-slack", "oncall-slack-prod")).toBeGreaterThan(
      nameSimilarity("oncall-slack", "slack"),
    );
  });
});

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

it.each([
  ["compare both", "Compare both"],
  ["saved-searches", "Saved-searches"],
  ["über", "Über"],
  ["stack/alerts/busy.yaml:1: no", "stack/alerts/busy.yaml:1: no"],
  ["--create sources", "--create sources"],
])("a text begins with a capital, but no path and no flag: %s", (text, shown) => {
  expect(upperFirst(text)).toBe(shown);
});
