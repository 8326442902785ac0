import type { FileHandle } from "node:fs/promises";
import type { ByteSource } from "../core/ports.ts";

/**
 * Reads a file.
 * @param close closes the file and anything that belongs to it
 */
export function fileSource(handle: FileHandle, size: number, close = (): Promise<void> => handle.close()): ByteSource {
  return { size, read: (position, length) => readRange(handle, position, length), close };
}

/** Reads exactly `length` bytes from `start`; undefined if the file ends earlier. */
export async function readRange(handle: FileHandle, start: number, length: number): Promise<Buffer | undefined> {
  const bytes = Buffer.alloc(length);
  for (let filled = 0; filled < length;) {
    const { bytesRead } = await handle.read(bytes, filled, length - filled, start + filled);
    if (bytesRead === 0) return undefined;
    filled += bytesRead;
  }
  return bytes;
}
