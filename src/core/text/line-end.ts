/**
 * Returns a secret or a setting without the line break at its end. Editors end a file with one, and so a variable that was filled
 * from a file has it, too; no key, passphrase or setting ends with one.
 */
export function withoutLineEnd(text: string): string {
  return text.replace(/(?:\r?\n|\r)$/, "");
}
