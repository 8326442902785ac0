import type { FileHandle } from "node:fs/promises";

/** Bytes of a known number that can be read at any place: in memory or in a file. */
export interface ByteSource {
  readonly size: number;
  /** Exactly `length` bytes; undefined where the file ends before. */
  read(position: number, length: number): Promise<Buffer | undefined>;
  close(): Promise<void>;
}

/** Bytes in memory, read like a file. */
export function memorySource(bytes: Uint8Array): ByteSource {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return {
    size: buffer.length,
    read: async (position, length) =>
      position + length > buffer.length ? undefined : buffer.subarray(position, position + length),
    close: async () => {},
  };
}

/** A file. @param close what closing it takes besides */
export function fileSource(handle: FileHandle, size: number, close = (): Promise<void> => handle.close()): ByteSource {
  return { size, read: (position, length) => readRange(handle, position, length), close };
}

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
