import type { FileHandle } from "node:fs/promises";

/** Exactly `length` bytes from `start`; undefined where the file ends before. */
export async function readRange(handle: FileHandle, start: number, length: number): Promise<Buffer | undefined> {
  const bytes = Buffer.alloc(length);
  for (let filled = 0; filled < length;) {
    const { bytesRead } = await handle.read(bytes, filled, length - filled, start + filled);
    if (bytesRead === 0) return undefined;
    filled += bytesRead;
  }
  return bytes;
}
