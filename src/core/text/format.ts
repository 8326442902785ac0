/** Returns a number with its noun: `1 dashboard`, `2 dashboards`, `0 saved searches`. */
export function pluralize(count: number, noun: string): string {
  return `${count} ${nounForCount(count, noun)}`;
}

export function nounForCount(count: number, noun: string): string {
  return count === 1 ? noun : pluralOf(noun);
}

/** Number of names that a message lists: more names would not make it clearer. */
export const MAX_NAMED = 5;
/** The same for items that the user must look at one by one. */
export const MAX_NAMED_TO_CHECK = 20;

/** Lists the first items by name, and the number of the others: `A, B and 3 more`. */
export function joinNames<Each>(items: readonly Each[], most: number, nameOf: (item: Each) => string): string {
  const names = items.slice(0, most).map(nameOf).join(", ");
  return items.length > most ? `${names} and ${items.length - most} more` : names;
}

/** Lists the first items, one line each, and the number of the others in a line of its own. */
export function firstLines<Each>(items: readonly Each[], most: number, textOf: (item: Each) => string): string[] {
  const lines = items.slice(0, most).map(textOf);
  return items.length > most ? [...lines, `and ${items.length - most} more`] : lines;
}

/** Number of mistakes in a file of the user that one error names. */
export const MAX_MISTAKES = 100;

function pluralOf(noun: string): string {
  if (/(?:s|x|ch|sh)$/.test(noun)) return `${noun}es`;
  return /[^aeiou]y$/.test(noun) ? `${noun.slice(0, -1)}ies` : `${noun}s`;
}

/** Returns the text with a capital at its beginning, if it begins with a word: a path or a flag stays as it is. */
export function upperFirst(text: string): string {
  return /^\p{L}[^\s./\\:=]*(?=[\s,;]|$)/u.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text;
}

/** Returns the text as a part of a file name: other characters than letters, digits, `.`, `_` and `-` become `-`. */
export function fileNamePart(text: string): string {
  return text.replaceAll(/[^A-Za-z0-9._-]+/g, "-").replaceAll(/^[.-]+|-+$/g, "");
}

export function formatSize(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 1_000_000 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** Formats a time for a file name: `20261121T045241Z`. @param at Unix milliseconds */
export function fileTimeStamp(at: number): string {
  return new Date(at).toISOString().replaceAll(/[-:]|\.\d+/g, "");
}

export function escapeForRegExp(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
}

/** Quotes a word of a suggested command, if a shell needs that. */
export function quoteShellWord(text: string): string {
  return /^[\w./:@-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
