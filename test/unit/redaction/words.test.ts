import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createNameTest, credentialWordsWith } from "../../../src/redaction/values/names.ts";
import { createWordTest, EVERY_TEXT, LONG_RUN } from "../../../src/redaction/spans.ts";
import { propertyRuns } from "../../support/tries.ts";

describe("the credential words", () => {
  it("match every name that the name test takes for a credential, with separators anywhere", () => {
    const own = ["team-pin", "größe"];
    const named = createNameTest(own);
    const words = new RegExp(credentialWordsWith(own.slice(0, 1)).join("|"), "i");
    const word = fc.constantFrom(
      ..."api,access,key,KEYS,connection,string,uri,shared,signature,pass,word,secret,tok,en,auth,id,team,Pin,p/w,x".split(
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

describe("the test for words", () => {
  it.each([
    [["he", "she"], "USHERS", true],
    [["bc"], "xabcx", true],
    [["é"], "CAFÉ", true],
    [["a.c"], "abc", false],
    [["a"], "", false],
    [[], "anything", false],
    [["abc", ...EVERY_TEXT], "x", true],
    [[LONG_RUN], "a".repeat(19), false],
    [[LONG_RUN], `é${"aZ09_+/=-".repeat(2)}ac é`, true],
    [[LONG_RUN], `${"a".repeat(19)}.${"a".repeat(19)}`, false],
    [[LONG_RUN, "b"], "b", true],
  ])("answers the question for the words %j in the text %j with %j", (words, text, expected) => {
    const hasWord = createWordTest(words);
    expect([hasWord(text), hasWord(text)]).toEqual([expected, expected]);
  });
});
