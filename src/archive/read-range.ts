import type { RandomAccess } from "./random-access.ts";

/** Exactly `length` bytes from `start`; undefined where the file ends before. */
export async function readRange(source: RandomAccess, start: number, length: number): Promise<Buffer | undefined> {
  const bytes = Buffer.alloc(length);
  for (let filled = 0; filled < length;) {
    const { bytesRead } = await source.read(bytes, filled, length - filled, start + filled);
    if (bytesRead === 0) return undefined;
    filled += bytesRead;
  }
  return bytes;
}
