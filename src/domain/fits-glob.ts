/**
 * Whether a text fits a pattern as a whole: `*` stands for any text, `one` for one character. Takes steps in proportion to the
 * lengths of both: as a regular expression a few stars would take longer than anybody waits.
 * @param one no character has this meaning where it is empty
 */
export function fitsGlob(pattern: string, text: string, one: "?" | "" = "?"): boolean {
  let at = 0;
  let star = -1;
  /** Where what the last star stands for ends. */
  let covered = 0;
  for (let here = 0; here < text.length;) {
    const size = sizeAt(text, here);
    if (pattern[at] === "*") {
      star = at;
      covered = here;
      at += 1;
    } else if (pattern[at] === one) {
      at += 1;
      here += size;
    } else if (pattern.codePointAt(at) === text.codePointAt(here)) {
      at += size;
      here += size;
    } else {
      if (star < 0) return false;
      covered += sizeAt(text, covered);
      at = star + 1;
      here = covered;
    }
  }
  return /^\**$/.test(pattern.slice(at));
}

/** Of the character there, in code units. */
function sizeAt(text: string, at: number): number {
  return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
}
