const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * Whether JSON text nests deeper than `most`, found by looking at its brackets only. Run before `JSON.parse`, because the
 * functions that walk the parsed value call themselves once per level. Says nothing about whether the text is JSON.
 */
export function nestsDeeperThan(text: string, most: number): boolean {
  let depth = 0;
  let inString = false;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (inString && code === BACKSLASH) index += 1;
    else if (code === QUOTE) inString = !inString;
    else if (!inString && isOpening(code)) depth += 1;
    else if (!inString && isClosing(code)) depth -= 1;
    if (depth > most) return true;
  }
  return false;
}

function isOpening(code: number): boolean {
  return code === 0x7b || code === 0x5b;
}

function isClosing(code: number): boolean {
  return code === 0x7d || code === 0x5d;
}
