import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyOf } from "../../../../src/domain/redaction/any-of.ts";
import { signs } from "../../../../src/domain/redaction/sign.ts";
import type { Sign } from "../../../../src/domain/redaction/sign.ts";
import { signSearch } from "../../../../src/domain/redaction/sign-search.ts";
import { tries } from "../../../support/tries.ts";

const found = (sign: Sign, text: string): boolean => signSearch([[sign]])(text) !== 0;

describe("the search for signs", () => {
  it("tells which groups have a sign in the text", () => {
    const search = signSearch([signs(["his", "hers"]), signs(["she"]), signs(["http://"]), []]);
    expect(search("ushers")).toBe(0b011);
    expect(search("https://she")).toBe(0b010);
    expect(search("hi http://x")).toBe(0b100);
    expect(search("")).toBe(0);
  });

  it.each<[Sign, string[], string[]]>([
    [{ literal: "AKIA" }, ["xAKIAx"], ["akia", "AK IA"]],
    [{ literal: "token", spelled: "any-case" }, ["myToKeN"], ["to-ken", "toke\u212a"]],
    [{ literal: "apikey", spelled: "any-joint" }, ["API key", "api_-.KEY", "x-a[p]ikey"], ["api/key", "api\u00e9key"]],
    [{ literal: "sk-", from: /sk-\d{3}/y }, ["sk-12 sk-123"], ["sk-12 3"]],
    [{ literal: "pw", after: /(?<=^pw)\s?=/y }, ["pw ="], [" pw =", "pw: ="]],
    [{ literal: "«" }, ["漢«"], ["漢»", "\u01ab"]],
  ])("finds %j where it is, and nowhere else", (sign, texts, others) => {
    for (const text of texts) expect([text, found(sign, text)]).toEqual([text, true]);
    for (const text of others) expect([text, found(sign, text)]).toEqual([text, false]);
  });

  it("finds what a search for each by itself would", () => {
    const literal = fc.string({
      unit: fc.constantFrom("a", "b", "A", "B", "_", "-", " ", "é"),
      minLength: 1,
      maxLength: 4,
    });
    const text = fc.string({ unit: fc.constantFrom("a", "b", "A", "B", "_", "-", " ", "é", "漢"), maxLength: 30 });
    fc.assert(
      fc.property(fc.array(literal, { minLength: 1, maxLength: 8 }), fc.array(text, { maxLength: 3 }), (all, texts) => {
        const exact = signSearch(all.map((each) => [{ literal: each }]));
        const plain = all.map((each) => each.toLowerCase().replaceAll(/[^ab]/g, "") || "a");
        const cased = signSearch(plain.map((each) => [{ literal: each, spelled: "any-case" }]));
        const jointed = signSearch(plain.map((each) => [{ literal: each, spelled: "any-joint" }]));
        const bits = (fits: (index: number) => boolean): number =>
          all.reduce((sum, _, index) => sum | (fits(index) ? 1 << index : 0), 0);
        for (const each of texts) {
          expect(exact(each)).toBe(bits((index) => each.includes(all[index] ?? "")));
          expect(cased(each)).toBe(bits((index) => each.toLowerCase().includes(plain[index] ?? "")));
          const close = each.toLowerCase().replaceAll(/[_ -]/g, "");
          expect(jointed(each)).toBe(bits((index) => close.includes(plain[index] ?? "")));
        }
      }),
      tries(),
    );
  });
});

describe("the search for any of many needles", () => {
  it("finds one wherever any is", () => {
    const unit = fc.constantFrom("a", "b", "c", "\u0161", "a\u0161", "🎉");
    const needles = fc.array(fc.string({ unit, minLength: 2, maxLength: 30 }), { maxLength: 5 });
    fc.assert(
      fc.property(needles, fc.string({ unit, maxLength: 60 }), fc.nat(), (all, text, seed) => {
        const search = anyOf(all);
        const at = seed % (text.length + 1);
        const planted = text.slice(0, at) + (all[seed % (all.length + 1)] ?? "") + text.slice(at);
        for (const each of [text, planted, ...all])
          expect(search(each)).toBe(all.some((needle) => each.includes(needle)));
      }),
      tries(1000),
    );
  });
});
