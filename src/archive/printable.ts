const MOST_CHARACTERS = 120;

/**
 * Text from an untrusted archive, fit to be shown in a message: characters that a terminal obeys or that turn the
 * reading direction are written as `\u{…}`, and what is over 120 characters is cut.
 */
export function printable(text: string): string {
  const cut = text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text;
  return cut.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16) ?? ""}}`);
}
