import stringWidth from "string-width";

const ELLIPSIS = "…";
/** Splits a text into user-perceived characters. */
const graphemeSegmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** Cuts the text to at most `width` terminal cells and marks the cut with `…`. Wide characters count as two cells. */
export function fitText(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  return width < 1 ? "" : cutText(text, width - 1) + ELLIPSIS;
}

/** Returns the beginning of the text that takes at most `width` terminal cells. */
export function cutText(text: string, width: number): string {
  let beginning = "";
  let used = 0;
  for (const { segment } of graphemeSegmenter.segment(text)) {
    used += stringWidth(segment);
    if (used > width) break;
    beginning += segment;
  }
  return beginning;
}

/**
 * Breaks a text between words into lines of at most `width` terminal cells; a longer word gets a line of its own. Lines
 * after the first begin with `indent`.
 * @param used cells that are already taken in the first line
 */
export function wrapText(text: string, width: number, indent: string, used: number): string {
  const [first = "", ...words] = text.split(" ");
  let [wrapped, cells] = [first, used + stringWidth(first)];
  for (const word of words) {
    const more = stringWidth(word);
    const fits = cells + 1 + more <= width;
    wrapped += fits ? ` ${word}` : `\n${indent}${word}`;
    cells = fits ? cells + 1 + more : indent.length + more;
  }
  return wrapped;
}
