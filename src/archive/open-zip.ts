import { Open } from "unzipper";
import type { CentralDirectory, File } from "unzipper";
import { StackferryError } from "../domain/errors.ts";
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
  const end = await findZipEnd(zip, size, limits);
  const ranges = fileRanges(zip, size);
  const all = await guarded(path, ranges, () => readDirectory(ranges, size - end.position));
  checkDirectory(all, end, limits);
  const entries = entriesOf(all, end.directoryStart);
  return {
    size,
    files: new Map([...entries].map(([name, { uncompressedSize }]) => [name, { bytes: uncompressedSize }])),
    read: (name, maxBytes) => guarded(path, ranges, () => readZipEntry(zip, pick(entries, name, maxBytes))),
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

/** @param tailSize makes unzipper look for the end record exactly where it was found, not at the first look-alike. */
async function readDirectory(ranges: FileRanges, tailSize: number): Promise<readonly File[]> {
  const openCustom: OpenCustom = Open.custom;
  return (await openCustom(ranges, { tailSize })).files;
}

function pick(entries: ReadonlyMap<string, ZipEntry>, path: string, maxBytes: number): ZipEntry {
  const entry = entries.get(path);
  if (entry === undefined) throw damagedArchive(`entry ${path} is missing`);
  if (entry.uncompressedSize > maxBytes) throw damagedArchive(`entry ${path} is over ${String(maxBytes)} bytes`);
  return entry;
}

/** What unzipper makes of bytes that are not a zip's comes in many forms; all of them say that the archive is damaged. */
async function guarded<Result>(path: string, ranges: FileRanges, act: () => Promise<Result>): Promise<Result> {
  try {
    return await act();
  } catch (error) {
    if (ranges.error() !== undefined) throw archiveIoError("read the archive", path, ranges.error());
    if (error instanceof StackferryError) throw error;
    throw damagedArchive(`the zip ${path} cannot be read`, error);
  }
}
