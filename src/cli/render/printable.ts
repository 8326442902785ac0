/** C0 and C1 controls, DEL, line separators, and the marks that turn the reading direction. */
const UNPRINTABLE = /[\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\p{Cs}]/gu;

/**
 * Text from a stack or an archive made safe for a terminal: what could move the cursor, change colours, or make one name
 * look like another is shown as `\u{…}`. Everything that people read, wide characters and emoji included, stays.
 */
export function printable(text: string): string {
  return text.replaceAll(UNPRINTABLE, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}

/** One JSON document on one line. JSON itself leaves C1 and direction marks as they are, so they are escaped here. */
export function printableJson(value: unknown): string {
  const escape = (character: string): string => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`;
  return JSON.stringify(value).replaceAll(UNPRINTABLE, escape);
}
