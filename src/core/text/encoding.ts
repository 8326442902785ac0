/**
 * Returns the encoding flaw of a file's text that was decoded as UTF-8; undefined if there is none. Editors and shells
 * of Windows write a byte-order mark or UTF-16, which makes a key or a secret invisibly wrong.
 */
export function encodingFlaw(text: string): string | undefined {
  if (text.startsWith("\ufeff")) return "begins with a byte-order mark";
  // ASCII characters in UTF-16 contain a null byte. The byte-order mark of UTF-16 decodes to two replacement characters.
  return text.includes("\0") || text.startsWith("\ufffd\ufffd") ? "is in UTF-16, or no text" : undefined;
}

export const ENCODING_HINT = "save it again as UTF-8 without a byte-order mark";

/** Tells whether a text can be an API key in a header: printable ASCII without white space. */
export function isHeaderText(text: string): boolean {
  return /^[\u0021-\u007e]+$/.test(text);
}

/**
 * Returns a secret or a setting without a line break at its end. Editors end a file with a line break, and the value of
 * a variable that is filled from a file ends with it, too. No key, passphrase or setting ends with a line break.
 */
export function withoutLineEnd(text: string): string {
  return text.replace(/(?:\r?\n|\r)$/, "");
}
