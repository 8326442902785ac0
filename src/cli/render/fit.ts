import stringWidth from "string-width";

const ELLIPSIS = "…";
const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** The text cut to at most `width` terminal cells, the cut shown as `…`. Wide characters count as two cells. */
export function fit(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  let kept = "";
  let used = 0;
  for (const { segment } of graphemes.segment(text)) {
    used += stringWidth(segment);
    if (used > width - 1) break;
    kept += segment;
  }
  return width < 1 ? "" : kept + ELLIPSIS;
}

/** The text filled with spaces up to `width` cells. */
export function pad(text: string, width: number, align: "left" | "right" = "left"): string {
  const space = " ".repeat(Math.max(0, width - stringWidth(text)));
  return align === "left" ? text + space : space + text;
}
