/**
 * Returns the flaw that makes a file's text, decoded as UTF-8, useless as a key; undefined if there is none. Editors and shells
 * of Windows write a byte-order mark, or UTF-16, and nobody sees it.
 */
export function encodingFlaw(text: string): string | undefined {
  if (text.startsWith("\ufeff")) return "begins with a byte-order mark";
  // UTF-16 has a null in each ASCII character, and its byte-order mark is no UTF-8.
  return text.includes("\0") || text.startsWith("\ufffd\ufffd") ? "is in UTF-16, or no text" : undefined;
}

export const ENCODING_HINT = "save it again as UTF-8 without a byte-order mark";

/** Tells whether a text can be the value of a header: white space and characters outside ASCII cannot. */
export function isHeaderText(text: string): boolean {
  return /^[\u0021-\u007e]+$/.test(text);
}

/**
 * Returns a secret or a setting without the line break at its end. Editors end a file with a line break, so a variable that was
 * filled from a file ends with a line break, too. No key, passphrase or setting ends with one.
 */
export function withoutLineEnd(text: string): string {
  return text.replace(/(?:\r?\n|\r)$/, "");
}
