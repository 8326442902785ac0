import { identitySpans, SHIELDED_SIGNS } from "./block-spans.ts";
import { ID } from "./id-places.ts";
import { looksRandom } from "./looks-secret.ts";
import type { TextRule } from "./text-rule.ts";

/** Begins where a word does, so that a long one is tried once and not from each of its characters. */
const LONG_WORD = String.raw`(?<![\w+/=-])[\w+/=-]{32,}`;
const [one, all] = [new RegExp(LONG_WORD), new RegExp(LONG_WORD, "g")];

/** What only `strict` takes out: whatever tells of an account, and any long random text. */
export const strictRules: readonly TextRule[] = [
  { signs: SHIELDED_SIGNS, may: (text) => /\b\d{12}\b/.test(text), find: identitySpans },
  {
    signs: [],
    may: (text) => one.test(text),
    find: (text) =>
      [...text.matchAll(all)].flatMap(({ index, 0: word }) =>
        looksRandom(word) && !ID.test(word) ? [{ start: index, end: index + word.length, rule: "random-text" }] : [],
      ),
  },
];
