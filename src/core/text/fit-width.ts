import stringWidth from "string-width";

const ELLIPSIS = "…";
const graphemeSegmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });

export function fitText(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  return width < 1 ? "" : cutText(text, width - 1) + ELLIPSIS;
}

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

/** @param used cells already taken in the first line */
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
