import stringWidth from "string-width";

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });
/** Text of single-width Latin characters only. */
const LATIN = /^[\x20-\x7e\u00a0-\u00ac\u00ae-\u00ff]*$/;
/** Assumed width of a character, as a fraction of the font size: SVG does not cut text, and only a browser could measure it. */
const LETTER = 0.56;

/** Cuts a text to about `width` units at a font size, and marks the cut with `…`. Wide characters count twice. */
export function fitText(text: string, width: number, fontSize: number): string {
  const most = Math.floor(width / (fontSize * LETTER));
  // Almost all names are Latin, and measuring other text is the slowest part of a page.
  if (LATIN.test(text)) return text.length <= most ? text : most < 2 ? "" : `${text.slice(0, most - 1).trimEnd()}…`;
  const head = text.slice(0, 4 * most);
  if (head.length === text.length && stringWidth(text) <= most) return text;
  let prefix = "";
  let used = 0;
  for (const { segment } of graphemes.segment(head)) {
    used += stringWidth(segment);
    if (used > most - 1) break;
    prefix += segment;
  }
  return most < 2 ? "" : `${prefix.trimEnd()}…`;
}

/** Rounds a position to a tenth of a unit. Positions may be fractions of a column. */
export function round(value: number): number {
  return Math.round(value * 10) / 10;
}

/** Width of a grid column, in units of the drawing. */
export const COLUMN = 40;

/** Width of a column if two drawings stand side by side, so that their text has the size of other text. */
export const NARROW_COLUMN = 22;

/** Height of a grid row, in units of the drawing. */
export const ROW = 26;
