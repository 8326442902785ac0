import stringWidth from "string-width";

const ELLIPSIS = "…";
const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** Cuts the text to at most `width` terminal cells and marks the cut with `…`. Wide characters count as two cells. */
export function fitText(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  let fitted = "";
  let used = 0;
  for (const { segment } of graphemes.segment(text)) {
    used += stringWidth(segment);
    if (used > width - 1) break;
    fitted += segment;
  }
  return width < 1 ? "" : fitted + ELLIPSIS;
}
