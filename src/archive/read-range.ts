import type { RandomReads } from "./random-access.ts";

/** Exactly `length` bytes from `start`; undefined where the file ends before. */
export function readRange(source: RandomReads, start: number, length: number): Buffer | undefined {
  const bytes = Buffer.alloc(length);
  for (let filled = 0; filled < length;) {
    const bytesRead = source.read(bytes, filled, length - filled, start + filled);
    if (bytesRead === 0) return undefined;
    filled += bytesRead;
  }
  return bytes;
}
