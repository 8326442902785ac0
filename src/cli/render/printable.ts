/** C0 and C1 controls, DEL, line separators, and the marks that turn the reading direction. */
const UNPRINTABLE = /[\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\p{Cs}]/gu;

/** Messages of ours and of servers have at most 2,000 characters. */
const MOST_CHARACTERS = 10_000;

/**
 * Text from a stack or an archive made safe for a terminal: what could move the cursor, change colours, or make one name
 * look like another is shown as `\u{…}`, and what would fill the screen is cut. Everything that people read, wide characters
 * and emoji included, stays.
 */
export function printable(text: string): string {
  const cut = text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text;
  return cut.replaceAll(UNPRINTABLE, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}

/** One JSON document on one line. JSON itself leaves C1 and direction marks as they are, so they are escaped here. */
export function printableJson(value: unknown): string {
  const escape = (character: string): string => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`;
  return JSON.stringify(value).replaceAll(UNPRINTABLE, escape);
}
