export function pluralize(count: number, noun: string): string {
  return `${count} ${nounForCount(count, noun)}`;
}

export function nounForCount(count: number, noun: string): string {
  return count === 1 ? noun : pluralOf(noun);
}

export const MAX_NAMED = 5;
export const MAX_NAMED_TO_CHECK = 20;

export function joinNames<Each>(items: readonly Each[], most: number, nameOf: (item: Each) => string): string {
  const names = items.slice(0, most).map(nameOf).join(", ");
  return items.length > most ? `${names} and ${items.length - most} more` : names;
}

export function firstLines<Each>(items: readonly Each[], most: number, textOf: (item: Each) => string): string[] {
  const lines = items.slice(0, most).map(textOf);
  return items.length > most ? [...lines, `and ${items.length - most} more`] : lines;
}

export const MAX_MISTAKES = 100;

function pluralOf(noun: string): string {
  if (/(?:s|x|ch|sh)$/.test(noun)) return `${noun}es`;
  return /[^aeiou]y$/.test(noun) ? `${noun.slice(0, -1)}ies` : `${noun}s`;
}

export function upperFirst(text: string): string {
  return /^\p{L}[^\s./\\:=]*(?=[\s,;]|$)/u.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text;
}

export function fileNamePart(text: string): string {
  return text.replaceAll(/[^A-Za-z0-9._-]+/g, "-").replaceAll(/^[.-]+|-+$/g, "");
}

export function formatSize(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 1_000_000 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** @param at Unix milliseconds */
export function fileTimeStamp(at: number): string {
  return new Date(at).toISOString().replaceAll(/[-:]|\.\d+/g, "");
}

export function escapeForRegExp(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
}

export function quoteShellWord(text: string): string {
  return /^[\w./:@-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
