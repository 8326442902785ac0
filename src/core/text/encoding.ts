/** Windows editors can add a byte-order mark or write UTF-16, which makes a key invisibly wrong. */
export function encodingFlaw(text: string): string | undefined {
  if (text.startsWith("\ufeff")) return "begins with a byte-order mark";
  // ASCII in UTF-16 contains null bytes. The byte-order mark of UTF-16 decodes to two replacement characters.
  return text.includes("\0") || text.startsWith("\ufffd\ufffd") ? "is in UTF-16, or no text" : undefined;
}

export const ENCODING_HINT = "save it again as UTF-8 without a byte-order mark";

export function isHeaderText(text: string): boolean {
  return /^[\u0021-\u007e]+$/.test(text);
}

/** Editors end a file with a line break. No key, passphrase or setting ends with a line break. */
export function withoutLineEnd(text: string): string {
  return text.replace(/(?:\r?\n|\r)$/, "");
}
