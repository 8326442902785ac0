/** Of each needle so many characters at its end are looked for. More let the search leap further, but not by much. */
const MOST_WINDOW = 24;
/** Pairs of characters, of each the lower eight bits. */
const PAIRS = 0x1_00_00;

/**
 * Makes a search for any of many needles, of two characters or more, that leaps: it looks at the pair of characters at the
 * end of a window, and where no needle has that pair it goes on by nearly a whole window (Wu and Manber).
 */
export function anyOf(needles: readonly string[]): (text: string) => boolean {
  const window = Math.min(MOST_WINDOW, ...needles.map(({ length }) => length));
  const leaps = new Uint8Array(PAIRS).fill(window - 1);
  const endings = new Map<number, string[]>();
  for (const needle of needles) {
    const from = needle.length - window;
    for (let at = from + 1; at < needle.length; at += 1) {
      const pair = pairAt(needle, at);
      leaps[pair] = Math.min(leaps[pair] ?? 0, needle.length - 1 - at);
    }
    const ending = pairAt(needle, needle.length - 1);
    endings.set(ending, [...(endings.get(ending) ?? []), needle]);
  }
  return (text) => {
    if (needles.length === 0) return false;
    for (let at = window - 1; at < text.length;) {
      const pair = pairAt(text, at);
      const leap = leaps[pair] ?? 0;
      if (leap === 0 && endings.get(pair)?.some((needle) => text.startsWith(needle, at + 1 - needle.length)))
        return true;
      at += Math.max(leap, 1);
    }
    return false;
  };
}

function pairAt(text: string, at: number): number {
  return ((text.charCodeAt(at - 1) & 0xff) << 8) | (text.charCodeAt(at) & 0xff);
}
