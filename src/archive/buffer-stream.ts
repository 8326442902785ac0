import { open } from "node:fs/promises";
import { join } from "node:path";
import type { ByteSource } from "../core/ports.ts";
import { PRIVATE_FILE_MODE } from "../files/atomic-write.ts";
import { fileSource } from "../files/regular-file.ts";
import { createTemporaryFolder } from "../files/temporary-folder.ts";

/** Streams up to this size are kept in memory and never written to a disk. */
const MAX_IN_MEMORY = 32 * 1024 * 1024;

/**
 * Reads a stream to its end, into memory or into a temp file.
 * @param atMost upper bound of the stream's size, in bytes
 */
export async function bufferStream(source: AsyncIterable<Uint8Array>, atMost: number): Promise<ByteSource> {
  return atMost <= MAX_IN_MEMORY ? toMemory(source, atMost) : toTempFile(source);
}

async function toMemory(source: AsyncIterable<Uint8Array>, atMost: number): Promise<ByteSource> {
  const bytes = Buffer.alloc(atMost);
  let size = 0;
  for await (const chunk of source) {
    bytes.set(chunk, size);
    size += chunk.length;
  }
  return memorySource(bytes.subarray(0, size));
}

/**
 * Reads a stream into a temp file that is unlinked before anything is written to it, so that even a killed process leaves nothing
 * behind. Windows keeps the name of an open file; there the file is removed when it is closed.
 */
async function toTempFile(source: AsyncIterable<Uint8Array>): Promise<ByteSource> {
  const folder = await createTemporaryFolder();
  const remove = async (): Promise<void> => folder[Symbol.asyncDispose]();
  const handle = await open(join(folder.path, "archive"), "wx+", PRIVATE_FILE_MODE).catch(async (error: unknown) => {
    await remove();
    throw error;
  });
  const close = (): Promise<void> => handle.close().finally(remove);
  try {
    await remove().catch(() => {});
    for await (const chunk of source) await handle.writeFile(chunk);
    return fileSource(handle, (await handle.stat()).size, close);
  } catch (error) {
    await close();
    throw error;
  }
}

export function memorySource(bytes: Uint8Array): ByteSource {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return {
    size: buffer.length,
    read: async (position, length) =>
      position + length > buffer.length ? undefined : buffer.subarray(position, position + length),
    close: async () => {},
  };
}
