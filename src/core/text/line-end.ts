/**
 * Returns a secret or a setting without the line break at its end. Editors end a file with a line break, so a variable that was
 * filled from a file ends with a line break, too. No key, passphrase or setting ends with one.
 */
export function withoutLineEnd(text: string): string {
  return text.replace(/(?:\r?\n|\r)$/, "");
}
