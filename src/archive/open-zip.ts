import { archiveIoError, damagedArchive } from "./archive-errors.ts";
import type { EntrySource } from "./entry-source.ts";
import type { ArchiveLimits } from "./limits.ts";
import type { RandomAccess } from "./random-access.ts";
import { readZipDirectory } from "./read-zip-directory.ts";
import type { DirectoryRecord } from "./read-zip-directory.ts";
import { readZipEntry } from "./read-zip-entry.ts";
import type { ZipEntry } from "./read-zip-entry.ts";
import { checkDirectory, inFileOrder, isFolderPath } from "./zip-directory.ts";
import { findZipEnd } from "./zip-end.ts";

/**
 * Opens a zip and checks all of its directory. Nothing is ever unpacked to disk.
 * @param path for messages.
 * @param zip is closed when the source is disposed of, and by the caller where this throws.
 */
export function openZip(path: string, zip: RandomAccess, size: number, limits: ArchiveLimits): EntrySource {
  const end = findZipEnd(zip, size, limits);
  const all = readZipDirectory(zip, end);
  checkDirectory(all, end, limits);
  const entries = entriesOf(all, end.directoryStart);
  return {
    size,
    files: new Map([...entries].map(([name, { uncompressedSize }]) => [name, { bytes: uncompressedSize }])),
    read: (name, maxBytes) => {
      try {
        return readZipEntry(zip, pick(entries, name, maxBytes));
      } catch (error) {
        throw archiveIoError("read the archive", path, error);
      }
    },
    [Symbol.asyncDispose]: () => zip.close(),
  };
}

function entriesOf(all: readonly DirectoryRecord[], directoryStart: number): Map<string, ZipEntry> {
  const inOrder = inFileOrder(all);
  const entries = inOrder.map(({ path, offset, method, compressedSize, uncompressedSize, crc32 }, index): ZipEntry => {
    const endsBefore = inOrder[index + 1]?.offset ?? directoryStart;
    return { path, offset, endsBefore, method, compressedSize, uncompressedSize, crc32 };
  });
  return new Map(entries.filter(({ path }) => !isFolderPath(path)).map((entry) => [entry.path, entry]));
}

function pick(entries: ReadonlyMap<string, ZipEntry>, path: string, maxBytes: number): ZipEntry {
  const entry = entries.get(path);
  if (entry === undefined) throw damagedArchive(`entry ${path} is missing`);
  if (entry.uncompressedSize > maxBytes) throw damagedArchive(`entry ${path} is over ${String(maxBytes)} bytes`);
  return entry;
}
