/** The answer is larger than any list of records, has no end, nests too deep, or is no text. */
export class UnusableAnswer extends Error {}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Bytes of an answer as text. Replacing what cannot be decoded would change records without a word. @throws UnusableAnswer */
export function textOf(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw new UnusableAnswer("the answer is not UTF-8");
  }
}

/** The same for a whole answer, which may begin with a byte order mark. @throws UnusableAnswer */
export function wholeTextOf(bytes: Uint8Array): string {
  return textOf(bytes).replace(/^\uFEFF/, "");
}
