import { escapeForRegExp } from "../core/text/format.ts";

/** A list of words that fits every text, because every text contains the empty word. */
export const EVERY_TEXT: readonly string[] = [""];
/** In a list of words, this stands for any run of twenty token characters. */
export const LONG_RUN = "\0";
const RUN = String.raw`[\w+/=-]{20}`;

/** Creates a test of whether a text has one of the words, in upper or lower case. The expression is made for the first text. */
export function createWordTest(words: readonly string[]): (text: string) => boolean {
  let expression: RegExp | undefined;
  return (text) => (expression ??= anyOf(words)).test(text);
}

function anyOf(words: readonly string[]): RegExp {
  const distinct = [...new Set(words)];
  const source = distinct.map((word) => (word === LONG_RUN ? RUN : escapeForRegExp(word))).join("|");
  return new RegExp(distinct.length === 0 ? "(?!)" : source, "i");
}
