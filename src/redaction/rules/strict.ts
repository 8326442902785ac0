import { ID } from "../candidates.ts";
import { looksRandom } from "../values/secret-value.ts";
import { matchSpans } from "../spans.ts";
import { identityRule } from "./keys.ts";
import type { TextRule } from "./text-rule.ts";

/** Begins where a word does, so that a long one is tried once and not from each of its characters. */
const LONG_WORD = /(?<![\w+/=-])[\w+/=-]{32,}/;

const randomRule: TextRule = {
  hint: LONG_WORD,
  find: (text) =>
    matchSpans(text, new RegExp(LONG_WORD, "g"), "random-text").filter(({ start, end }) => {
      const word = text.slice(start, end);
      return looksRandom(word) && !ID.test(word);
    }),
};

/** What only `strict` takes out: whatever tells of an account, and any long random text. */
export const strictRules: readonly TextRule[] = [identityRule, randomRule];
