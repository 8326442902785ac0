import { archiveIoError, damagedArchive } from "./archive-errors.ts";
import type { EntrySource } from "./entry-source.ts";
import type { ArchiveLimits } from "./limits.ts";
import type { RandomAccess } from "./random-access.ts";
import { readZipDirectory } from "./read-zip-directory.ts";
import type { DirectoryRecord } from "./read-zip-directory.ts";
import { readZipEntry } from "./read-zip-entry.ts";
import type { ZipEntry } from "./read-zip-entry.ts";
import { checkedDirectory, isFolderPath } from "./zip-directory.ts";
import { findZipEnd } from "./zip-end.ts";

/**
 * Opens a zip and checks all of its directory. Nothing is ever unpacked to disk.
 * @param path for messages.
 * @param zip is closed when the source is disposed of, and by the caller where this throws.
 */
export function openZip(path: string, zip: RandomAccess, size: number, limits: ArchiveLimits): EntrySource {
  const end = findZipEnd(zip, size, limits);
  const files = entriesOf(checkedDirectory(readZipDirectory(zip, end), end, limits), end.directoryStart);
  return {
    size,
    files,
    read: (name, maxBytes) => {
      try {
        return readZipEntry(zip, pick(files, name, maxBytes));
      } catch (error) {
        throw archiveIoError("read the archive", path, error);
      }
    },
    [Symbol.asyncDispose]: () => zip.close(),
  };
}

/** The files by their path. There may be 50,000: each is held once, and nothing is made on the way there. */
function entriesOf(inOrder: readonly DirectoryRecord[], directoryStart: number): Map<string, ZipEntry> {
  const entries = new Map<string, ZipEntry>();
  for (const [index, { path, offset, method, compressedSize, uncompressedSize, crc32 }] of inOrder.entries()) {
    const endsBefore = inOrder[index + 1]?.offset ?? directoryStart;
    if (isFolderPath(path)) continue;
    entries.set(path, { path, offset, endsBefore, method, compressedSize, uncompressedSize, crc32 });
  }
  return entries;
}

function pick(entries: ReadonlyMap<string, ZipEntry>, path: string, maxBytes: number): ZipEntry {
  const entry = entries.get(path);
  if (entry === undefined) throw damagedArchive(`entry ${path} is missing`);
  if (entry.uncompressedSize > maxBytes) throw damagedArchive(`entry ${path} is over ${String(maxBytes)} bytes`);
  return entry;
}
