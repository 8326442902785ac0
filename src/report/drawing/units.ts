import stringWidth from "string-width";

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });
/** Latin letters and signs, each as wide as one. */
const LATIN = /^[\x20-\x7e\u00a0-\u00ac\u00ae-\u00ff]*$/;
/** How wide a letter is, in parts of the font size: SVG does not cut text, and only a browser could measure it. */
const LETTER = 0.56;

/** The text cut to about `width` units at a font size, the cut shown as `…`. Wide characters count twice. */
export function fitText(text: string, width: number, fontSize: number): string {
  const most = Math.floor(width / (fontSize * LETTER));
  // Nearly all names are such letters, and measuring the rest is what takes a page its time.
  if (LATIN.test(text)) return text.length <= most ? text : most < 2 ? "" : `${text.slice(0, most - 1).trimEnd()}…`;
  const head = text.slice(0, 4 * most);
  if (head.length === text.length && stringWidth(text) <= most) return text;
  let kept = "";
  let used = 0;
  for (const { segment } of graphemes.segment(head)) {
    used += stringWidth(segment);
    if (used > most - 1) break;
    kept += segment;
  }
  return most < 2 ? "" : `${kept.trimEnd()}…`;
}

/** Positions may be fractions of a column; a tenth is finer than anyone sees. */
export function round(value: number): number {
  return Math.round(value * 10) / 10;
}

/** One column of the grid, in units of the drawing. */
export const COLUMN = 40;

/** The same where two drawings stand side by side, so that their text has the size of other text. */
export const NARROW_COLUMN = 22;

/** One row of the grid, in the same units. */
export const ROW = 26;
