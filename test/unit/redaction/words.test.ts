import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createNameTest, credentialWordsWith } from "../../../src/redaction/values/names.ts";
import { EVERY_TEXT, LONG_RUN, createWordSearch, createWordTest } from "../../../src/redaction/word-search.ts";
import { propertyRuns } from "../../support/tries.ts";

describe("the credential words", () => {
  it("match every name that the name test takes for a credential, with separators anywhere", () => {
    const own = ["team-pin", "größe"];
    const named = createNameTest(own);
    const words = new RegExp(credentialWordsWith(own.slice(0, 1)).join("|"), "i");
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
      propertyRuns(2000),
    );
    expect(found).toBeGreaterThan(100);
  });
});

/** Returns the positions of the lists of which a word is in the text. It searches word by word, as a reference for the fast search. */
const positions = (lists: readonly (readonly string[])[], text: string): number[] =>
  lists.flatMap((words, position) => (words.some((word) => text.toLowerCase().includes(word)) ? [position] : []));
const found = (lists: readonly (readonly string[])[], text: string): number[] =>
  [...createWordSearch(lists).listsIn(text)].toSorted((one, other) => one - other);

describe("the search for many words in one pass", () => {
  it.each([
    [["he", "she", "his", "hers"], "ushers", [0, 1, 3]],
    [["abcd", "bc"], "xabcx", [1]],
    [["abab", "ba"], "aabab", [0, 1]],
    [["é", "ß"], "CAFÉ", [0]],
    [["a"], "", []],
    [[], "anything", []],
  ])("for %j in %j returns the lists %j", (words, text, expected) => {
    const lists = words.map((word) => [word]);
    expect(found(lists, text)).toEqual(expected);
    expect(positions(lists, text)).toEqual(expected);
    expect(createWordTest(words)(text)).toBe(expected.length > 0);
    expect(createWordSearch(lists).hasWord(text)).toBe(expected.length > 0);
  });

  it.each([
    ["x", []],
    ["a".repeat(19), []],
    [`é${"aZ09_+/=-".repeat(2)}ac é`, [0]],
    [`${"a".repeat(19)}.${"a".repeat(19)}`, []],
    [`b${"a".repeat(19)}`, [0, 1]],
  ])("finds a long run of key characters in %j: %j", (text, expected) => {
    expect(found([[LONG_RUN], ["b"]], text)).toEqual(expected);
  });

  it("finds the empty word in every text", () => {
    expect(found([["abc"], EVERY_TEXT], "x")).toEqual([1]);
    expect(found([["abc"], EVERY_TEXT], "xabc")).toEqual([0, 1]);
  });

  it("returns the same lists as a search for each word", () => {
    const text = (max: number) =>
      fc.array(fc.constantFrom("a", "b", "c", "é", "-"), { minLength: 1, maxLength: max }).map((all) => all.join(""));
    const lists = fc.array(fc.array(text(4), { maxLength: 3 }), { maxLength: 40 });
    fc.assert(
      fc.property(lists, fc.array(text(12), { maxLength: 4 }), (all, texts) => {
        for (const each of texts) {
          expect(found(all, each)).toEqual(positions(all, each));
          expect(found(all, `${each.toUpperCase()}𝄞`)).toEqual(positions(all, each));
        }
      }),
      propertyRuns(),
    );
  });
});
