/**
 * Controls, line separators, marks that turn the reading direction, characters without width, tags, and halves of characters.
 * The joiner U+200D stays: emoji are made with it.
 */
const UNSEEN =
  /[\p{Cc}\p{Cs}\u00ad\u061c\u115f\u180e\u200b\u200c\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

/** Nearly every text is this, and looking for the rest in each is what takes a large page its time. */
const PLAIN = /^[\x20-\x7e]*$/;

/** Text in which whatever would hide, or make one name look like another, is shown as `\u{…}`. */
export function visible(text: string): string {
  return PLAIN.test(text) ? text : text.replaceAll(UNSEEN, shown);
}

/** The same with line breaks and tabs left alone. */
export function visibleLines(text: string): string {
  return text
    .replaceAll("\r\n", "\n")
    .replaceAll(UNSEEN, (character) => (/[\n\t]/.test(character) ? character : shown(character)));
}

function shown(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
