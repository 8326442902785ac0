import { decodeUtf8 } from "../domain/utf8.ts";

/** The answer is larger than any list of records, has no end, nests too deep, or is no text. */
export class UnusableAnswer extends Error {}

/** Nothing of the API nests nearly as deep, and the functions that walk a record call themselves once per level. */
export const MAX_ANSWER_DEPTH = 512;

/** What is wrong with an answer, told in words that follow its name. */
export function unusableAnswer(problem: string): UnusableAnswer {
  return new UnusableAnswer(`the answer ${problem}`);
}

/** A whole answer as text. It may begin with a byte order mark. @throws UnusableAnswer */
export function wholeTextOf(bytes: Uint8Array): string {
  const text = decodeUtf8(bytes);
  if (text === undefined) throw unusableAnswer("is not UTF-8");
  return withoutMark(text);
}

/** The same text without a byte order mark. */
export function withoutMark(text: string): string {
  return text.replace(/^\uFEFF/, "");
}
