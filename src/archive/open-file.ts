import { open } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { archiveIoError } from "./archive-errors.ts";
import type { KeySource } from "./archive-keys.ts";
import { decryptArchive, isEncrypted } from "./decrypt-archive.ts";
import type { EntrySource } from "./entry-source.ts";
import type { ArchiveLimits } from "./limits.ts";
import { openZip } from "./open-zip.ts";
import { fileReads } from "./random-access.ts";

/** Opens an archive that is a file: a zip, or one in the age format. Holds a file handle or memory until disposed of. */
export async function openFile(path: string, limits: ArchiveLimits, keys: KeySource): Promise<EntrySource> {
  const handle = await open(path, "r");
  try {
    const { size } = await handle.stat();
    const zip = { ...fileReads(handle), close: () => handle.close() };
    if (!isEncrypted(path, zip, size)) return openZip(path, zip, size, limits);
    const source = await openEncrypted(path, handle, size, limits, keys);
    await handle.close();
    return source;
  } catch (error) {
    await handle.close();
    throw archiveIoError("read the archive", path, error);
  }
}

async function openEncrypted(
  path: string,
  handle: FileHandle,
  size: number,
  limits: ArchiveLimits,
  keys: KeySource,
): Promise<EntrySource> {
  const { access, size: plainSize } = await decryptArchive(path, handle, size, await keys(), limits);
  try {
    return { ...openZip(path, access, plainSize, limits), size };
  } catch (error) {
    await access.close();
    throw error;
  }
}
