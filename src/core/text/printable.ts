/** Invisible characters, terminal controls and characters that disguise a name. Spares the joiner U+200D: emoji need it. */
const HIDDEN =
  /\u034f|\u17b4|\u17b5|[\u180b-\u180f]|[\ufe00-\ufe0e]|[\p{Cc}\p{Cs}\u00ad\u061c\u115f\u1160\u2800\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\ufff0-\ufff8\u0600-\u0605\u06dd\u070f\u{13430}-\u{1343f}\u200b\u200c\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e0fff}]/gu;

/** Nearly every text is printable ASCII, and this test is faster than the search for hidden characters. */
const PLAIN = /^[\x20-\x7e]*$/;

/** CI runners execute `##[…]` and `##vso[…]` anywhere in a line, `::…::` at its beginning. */
const COMMAND = /#(?=#\w{0,20}\[)|(?<=^[^\S\n]*):(?=:)/gm;

const MAX_CHARACTERS = 10_000;

/** Makes untrusted text safe to print: escapes hidden characters and workflow commands, and cuts long text. */
export function printableText(text: string, most = MAX_CHARACTERS): string {
  const cut = text.length > most ? `${text.slice(0, most)}…` : text;
  return replaceHidden(cut, escapeCharacter).replaceAll(COMMAND, escapeCharacter);
}

export function visibleText(text: string): string {
  return replaceHidden(text, escapeCharacter);
}

export function visibleLines(text: string): string {
  return replaceHidden(text.replaceAll("\r\n", "\n"), (character) =>
    character === "\n" || character === "\t" ? character : escapeCharacter(character),
  );
}

export function printableJson(value: unknown): string {
  return replaceHidden(JSON.stringify(value), escapedInJson).replaceAll(COMMAND, escapedInJson);
}

function escapedInJson(character: string): string {
  const units = Array.from({ length: character.length }, (_, at) => hex(character.charCodeAt(at)).padStart(4, "0"));
  return units.map((unit) => `\\u${unit}`).join("");
}

function replaceHidden(text: string, replacement: (character: string) => string): string {
  return PLAIN.test(text) ? text : text.replaceAll(HIDDEN, replacement);
}

function escapeCharacter(character: string): string {
  return `\\u{${hex(character.codePointAt(0) ?? 0)}}`;
}

function hex(code: number): string {
  return code.toString(16);
}
