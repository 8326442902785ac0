import { decodeUtf8 } from "../core/json.ts";

export class UnusableResponseError extends Error {}

const FIRST_BYTES = 4096;
const MAX_KEPT_BYTES = 1024 * 1024;

/** Copies the pieces into one buffer, because a million pieces of one byte would take much more memory. */
export function createByteCollector(maxBytes: number, subject: string) {
  let buffer = new Uint8Array(0);
  let size = 0;
  return {
    add(piece: Uint8Array): void {
      const needed = size + piece.length;
      if (needed > maxBytes) throw new UnusableResponseError(`${subject} larger than ${maxBytes} bytes`);
      if (needed > buffer.length) {
        const larger = new Uint8Array(Math.min(maxBytes, Math.max(needed, 2 * buffer.length, FIRST_BYTES)));
        larger.set(buffer.subarray(0, size));
        buffer = larger;
      }
      buffer.set(piece, size);
      size = needed;
    },
    /** A view, not a copy: an `add` after `clear` overwrites the bytes. */
    bytes: (): Uint8Array => buffer.subarray(0, size),
    clear(): void {
      if (buffer.length > MAX_KEPT_BYTES) buffer = new Uint8Array(0);
      size = 0;
    },
  };
}

export function decodeBodyText(bytes: Uint8Array): string {
  const text = decodeUtf8(bytes);
  if (text === undefined) throw new UnusableResponseError("is not UTF-8");
  return text;
}
