/** Told of every bracket that opens or closes the second level, and of every comma on it. */
export type Visit = (byte: number, at: number) => void;

export const COMMA = 0x2c;
export const OPEN_ARRAY = 0x5b;
export const CLOSE_ARRAY = 0x5d;
export const CLOSE_OBJECT = 0x7d;
const OPEN_OBJECT = 0x7b;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** 1 for bytes that say, outside of strings, how deep a place is. Every byte of every list is looked up here. */
const TELLS = new Uint8Array(256);
for (const byte of [QUOTE, COMMA, OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT]) TELLS[byte] = 1;

/**
 * Follows JSON from chunk to chunk, only far enough to know how deep it is.
 * @param tooDeep what is thrown where it nests deeper than `maxDepth`
 */
export function createJsonScanner(maxDepth: number, tooDeep: () => Error): (chunk: Uint8Array, visit: Visit) => void {
  const strings = createStringSkipper();
  let depth = 0;
  return (chunk, visit) => {
    for (let at = strings.isOpen() ? strings.skip(chunk, 0) : 0; at < chunk.length; at += 1) {
      const byte = chunk[at] ?? 0;
      if (TELLS[byte] === 0) continue;
      if (byte === QUOTE) at = strings.skip(chunk, at + 1) - 1;
      else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
        depth += 1;
        if (depth > maxDepth) throw tooDeep();
        if (depth === 2) visit(byte, at);
      } else if (byte === COMMA) {
        if (depth === 2) visit(byte, at);
      } else {
        if (depth === 2) visit(byte, at);
        depth -= 1;
      }
    }
  };
}

interface StringSkipper {
  /** The last chunk ended inside of a string. */
  isOpen(): boolean;
  /** The place after the string that `from` is inside of; the chunk's end where the string goes on in the next. */
  skip(chunk: Uint8Array, from: number): number;
}

/** Looks for the closing quote by `indexOf`, which takes half the time of looking at each byte. */
function createStringSkipper(): StringSkipper {
  let open = false;
  /** The last chunk ended with a backslash that is about the first byte of the next. */
  let escaping = false;
  return {
    isOpen: () => open,
    skip(chunk, from) {
      const begin = escaping && chunk.length > 0 ? from + 1 : from;
      escaping &&= chunk.length === 0;
      for (let searched = begin; ;) {
        const quote = chunk.indexOf(QUOTE, searched);
        const end = quote === -1 ? chunk.length : quote;
        const isEscaped = backslashesBefore(chunk, end, begin) % 2 === 1;
        if (quote === -1) escaping ||= isEscaped;
        open = quote === -1 || isEscaped;
        if (quote === -1 || !isEscaped) return quote === -1 ? chunk.length : quote + 1;
        searched = quote + 1;
      }
    },
  };
}

function backslashesBefore(chunk: Uint8Array, end: number, begin: number): number {
  let first = end;
  while (first > begin && chunk[first - 1] === BACKSLASH) first -= 1;
  return end - first;
}
