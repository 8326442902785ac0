import { Open } from "unzipper";
import type { CentralDirectory, File } from "unzipper";
import { archiveIoError, damagedArchive } from "./archive-errors.ts";
import type { EntrySource } from "./entry-source.ts";
import { fileRanges } from "./file-ranges.ts";
import type { FileRanges } from "./file-ranges.ts";
import type { ArchiveLimits } from "./limits.ts";
import type { RandomAccess } from "./random-access.ts";
import { readZipEntry } from "./read-zip-entry.ts";
import type { ZipEntry } from "./read-zip-entry.ts";
import { checkDirectory, inFileOrder, isFolderPath } from "./zip-directory.ts";
import { findZipEnd } from "./zip-end.ts";

/** `Open.custom` with its second parameter, which unzipper's typings leave out. */
type OpenCustom = (source: FileRanges, options: { readonly tailSize: number }) => PromiseLike<OpenedDirectory>;

/** Typed as files, they come as a promise of files inside of `Open` only. */
type OpenedDirectory = Pick<CentralDirectory, "files">;

/**
 * Opens a zip and checks all of its directory. Nothing is ever unpacked to disk.
 * @param path for messages.
 * @param zip is closed when the source is disposed of, and by the caller where this throws.
 */
export async function openZip(
  path: string,
  zip: RandomAccess,
  size: number,
  limits: ArchiveLimits,
): Promise<EntrySource> {
  const end = findZipEnd(zip, size, limits);
  const all = await readDirectory(path, fileRanges(zip, size), size - end.position);
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

function entriesOf(all: readonly File[], directoryStart: number): Map<string, ZipEntry> {
  const inOrder = inFileOrder(all);
  const entries = inOrder.map((file, index): ZipEntry => {
    const { path, offsetToLocalFileHeader: offset, compressedSize, uncompressedSize, compressionMethod, crc32 } = file;
    const endsBefore = inOrder[index + 1]?.offsetToLocalFileHeader ?? directoryStart;
    return { path, offset, endsBefore, method: compressionMethod, compressedSize, uncompressedSize, crc32 };
  });
  return new Map(entries.filter(({ path }) => !isFolderPath(path)).map((entry) => [entry.path, entry]));
}

/**
 * What unzipper makes of bytes that are not a zip's comes in many forms; all of them say that the archive is damaged.
 * @param tailSize makes unzipper look for the end record exactly where it was found, not at the first look-alike.
 */
async function readDirectory(path: string, ranges: FileRanges, tailSize: number): Promise<readonly File[]> {
  const openCustom: OpenCustom = Open.custom;
  try {
    return (await openCustom(ranges, { tailSize })).files;
  } catch (error) {
    if (ranges.error() !== undefined) throw archiveIoError("read the archive", path, ranges.error());
    throw damagedArchive(`the zip ${path} cannot be read`, error);
  }
}

function pick(entries: ReadonlyMap<string, ZipEntry>, path: string, maxBytes: number): ZipEntry {
  const entry = entries.get(path);
  if (entry === undefined) throw damagedArchive(`entry ${path} is missing`);
  if (entry.uncompressedSize > maxBytes) throw damagedArchive(`entry ${path} is over ${String(maxBytes)} bytes`);
  return entry;
}
