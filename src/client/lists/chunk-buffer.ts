/**
 * Collects bytes in one buffer as they arrive: a million pieces of one byte take no more memory than one piece of a million
 * bytes.
 */
export interface Pieces {
  /** Adds a piece. @throws UnusableResponse if more than `most` bytes come together */
  add(piece: Uint8Array): void;
  /** Returns the collected bytes. Valid until the next `add`. */
  bytes(): Uint8Array;
  clear(): void;
}

/** The response is larger than any list, nests too deep, has the list twice, or is not UTF-8. */
export class UnusableResponse extends Error {}

const FIRST_BYTES = 4096;
const MAX_KEPT_BYTES = 1024 * 1024;

/** Creates the buffer. @param what names the oversized data in the error */
export function createPieces(most: number, what: string): Pieces {
  let buffer = new Uint8Array(0);
  let size = 0;
  return {
    add(piece) {
      const needed = size + piece.length;
      if (needed > most) throw new UnusableResponse(`${what} larger than ${most} bytes`);
      if (needed > buffer.length) {
        const larger = new Uint8Array(Math.min(most, Math.max(needed, 2 * buffer.length, FIRST_BYTES)));
        larger.set(buffer.subarray(0, size));
        buffer = larger;
      }
      buffer.set(piece, size);
      size = needed;
    },
    bytes: () => buffer.subarray(0, size),
    clear() {
      // A large buffer is released: its record is parsed by now.
      if (buffer.length > MAX_KEPT_BYTES) buffer = new Uint8Array(0);
      size = 0;
    },
  };
}
