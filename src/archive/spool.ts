import { mkdtemp, open, rm } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileReads, memoryReads } from "./random-access.ts";
import type { RandomAccess } from "./random-access.ts";

/** What a stream came to, kept where nobody else can read it until it is closed. */
export interface Spooled {
  readonly access: RandomAccess;
  readonly size: number;
}

/** Up to this size a stream is kept in memory, and never touches a disk. */
const MOST_IN_MEMORY = 32 * 1024 * 1024;

/** Takes in all of a stream, or fails and leaves nothing. @param atMost no less than what will come, in bytes. */
export async function spool(source: AsyncIterable<Uint8Array>, atMost: number): Promise<Spooled> {
  return atMost <= MOST_IN_MEMORY ? toMemory(source, atMost) : toFile(source);
}

async function toMemory(source: AsyncIterable<Uint8Array>, atMost: number): Promise<Spooled> {
  const bytes = Buffer.alloc(atMost);
  let size = 0;
  for await (const chunk of source) {
    bytes.set(chunk, size);
    size += chunk.length;
  }
  return { access: { ...memoryReads(bytes.subarray(0, size)), close: () => Promise.resolve() }, size };
}

async function toFile(source: AsyncIterable<Uint8Array>): Promise<Spooled> {
  const { handle, close } = await namelessFile();
  let size = 0;
  try {
    for await (const chunk of source) {
      await handle.writeFile(chunk);
      size += chunk.length;
    }
  } catch (error) {
    await close();
    throw error;
  }
  return { access: { ...fileReads(handle), close }, size };
}

/**
 * A file of the system's temporary folder that has lost its name before anything is in it: even a process that is killed
 * leaves nothing behind. Where open files keep their names (Windows), the name goes when the file is closed.
 */
async function namelessFile(): Promise<{ readonly handle: FileHandle; readonly close: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), "stackferry-"));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    const handle = await open(join(folder, "archive"), "wx+", 0o600);
    await remove().catch(() => {});
    return { handle, close: () => handle.close().finally(remove) };
  } catch (error) {
    await remove();
    throw error;
  }
}
