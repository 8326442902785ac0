import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { credentialWords, nameTest } from "../../../../src/redaction/values/names.ts";
import { makePrefilter } from "../../../../src/redaction/search/prefilter.ts";
import { tries } from "../../../support/tries.ts";

describe("the prefilter", () => {
  it("lets a text pass if any hint matches, in its own case", () => {
    const { passes } = makePrefilter([/AKIA|ASIA/, /token/i, /x\d/, /^pass/i].map((hint) => ({ hint })));
    expect(["xAKIA", "a ToKeN", "x1", "PASSword"].map((text) => passes(text))).toEqual([true, true, true, true]);
    expect(["akia", "to ken", "X1", "by-pass", ""].map((text) => passes(text))).toEqual([
      false,
      false,
      false,
      false,
      false,
    ]);
  });

  it("takes texts with a word for what is looked for once its budget is spent, and no others", () => {
    const { passes } = makePrefilter([{ hint: /token \d/i, words: ["token"] }, { hint: /x\d/ }]);
    const budget = { left: 20 };
    expect(["a token here", "no word at all", "a token, too"].map((text) => passes(text, budget))).toEqual([
      false,
      false,
      true,
    ]);
    expect(budget.left).toBe(-4);
    expect(passes("a token here")).toBe(false);
    expect(passes("no words at all", budget)).toBe(false);
  });

  it("gives the same answer again, however many texts came between", () => {
    const { passes } = makePrefilter([{ hint: /7{3}/ }]);
    const texts = Array.from({ length: 60_000 }, (_, index) => String(index));
    const first = texts.map((text) => passes(text));
    expect(texts.map((text) => passes(text))).toEqual(first);
    expect(first.filter(Boolean)).toHaveLength(texts.filter((text) => text.includes("777")).length);
  });
});

describe("the words of credentials", () => {
  it("are in every name that says credential, with joints anywhere", () => {
    const own = ["team-pin", "größe"];
    const named = nameTest(own);
    const words = new RegExp((credentialWords(own.slice(0, 1)) ?? []).join("|"), "i");
    const word = fc.constantFrom(
      ..."api,access,key,KEYS,connection,string,uri,shared,signature,pass,word,secret,tok,en,auth,id,team,Pin,x".split(
        ",",
      ),
    );
    const joint = fc.constantFrom("", "", "_", "-", ".", " ", "[", "]._");
    const name = fc.array(fc.tuple(word, joint), { minLength: 1, maxLength: 5 }).map((parts) => parts.flat().join(""));
    let found = 0;
    fc.assert(
      fc.property(name, (text) => {
        if (named(text) === undefined) return;
        found += 1;
        expect(text).toMatch(words);
      }),
      tries(2000),
    );
    expect(found).toBeGreaterThan(100);
  });
});
