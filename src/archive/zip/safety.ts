import { isUtf8 } from "node:buffer";
import { crc32 } from "node:zlib";
import type { File } from "unzipper";
import type { ByteSource } from "../../core/ports.ts";
import { MANIFEST_PATH } from "../entry.ts";
import { damagedArchiveError, safeForMessage, unknownArchiveError } from "../errors.ts";
import { RATIO_FREE_BYTES, type ArchiveLimits } from "../limits.ts";

// The library unzipper trusts a zip's end record and central directory, so this file checks both.

const LOCAL_SIGNATURE = 0x04034b50;
const LOCAL_BYTES = 30;
const DIRECTORY_SIGNATURE = 0x02014b50;
const DIRECTORY_BYTES = 46;
/** Limit for the average size of a directory record. */
const MAX_DIRECTORY_BYTES = 1024;
const END_SIGNATURE = 0x06054b50;
const END_BYTES = 22;
const ZIP64_LOCATOR_SIGNATURE = 0x07064b50;
const ZIP64_LOCATOR_BYTES = 20;
const MAX_COMMENT_BYTES = 0xffff;
const MAX_EXTRA_BYTES = 0xffff;

const STORED = 0;
const DEFLATED = 8;
/** Stands for a size in a ZIP64 field. If that field is missing, unzipper sets the size to `undefined`. */
const ZIP64_MARK = 0xffff_ffff;
/** Flags: the entry is encrypted, the encryption is strong, the directory is encrypted. */
const ENCRYPTED = 0x0001 | 0x0040 | 0x2000;
/** Flag: sizes and CRC are behind the entry's data, not in the local header. */
const HAS_DATA_DESCRIPTOR = 0x0008;
const FILE_TYPE = 0xf000;
const REGULAR_FILE = 0x8000;
const FOLDER = 0x4000;
const LEAVES = /^\/|^[a-z]:|(?:^|\/)\.\.?(?:\/|$)/i;

export interface ZipEnd {
  readonly directoryStart: number;
  readonly directoryBytes: number;
}

export interface CheckedEntry {
  readonly file: File;
  readonly uncompressedSize: number;
  readonly endsBefore: number;
}

/**
 * Runs before unzipper reads the directory, whose size the end record states.
 * @throws StackferryError `archive-unknown` for a file that is not a zip; `archive-damaged`
 */
export async function findZipEnd(zip: ByteSource, limits: ArchiveLimits): Promise<ZipEnd> {
  const { size } = zip;
  if (size === 0) throw unknownArchiveError("the file is empty");
  const tailStart = Math.max(0, size - END_BYTES - MAX_COMMENT_BYTES - ZIP64_LOCATOR_BYTES);
  const tail = await zip.read(tailStart, size - tailStart);
  const endAt = tail === undefined ? -1 : endRecordIn(tail);
  if (tail === undefined || endAt < 0) throw await withoutEnd(zip);
  if (endAt >= ZIP64_LOCATOR_BYTES && tail.readUInt32LE(endAt - ZIP64_LOCATOR_BYTES) === ZIP64_LOCATOR_SIGNATURE) {
    throw damagedArchiveError("the zip uses ZIP64, which no archive within the limits needs");
  }
  return checkedEnd(tail.subarray(endAt), tailStart + endAt, limits);
}

/** The comment of the right end record ends exactly where the zip ends. Returns -1 without such a record. */
function endRecordIn(tail: Buffer): number {
  for (let at = tail.length - END_BYTES; at >= 0; at -= 1) {
    if (tail.readUInt32LE(at) === END_SIGNATURE && tail.readUInt16LE(at + 20) === tail.length - at - END_BYTES)
      return at;
  }
  return -1;
}

async function withoutEnd(zip: ByteSource): Promise<Error> {
  const start = await zip.read(0, 4);
  return start?.readUInt32LE(0) === LOCAL_SIGNATURE
    ? damagedArchiveError("the zip has no end: it was cut short, or something was appended to it")
    : unknownArchiveError("the file is not a zip");
}

function checkedEnd(record: Buffer, position: number, limits: ArchiveLimits): ZipEnd {
  const entryCount = record.readUInt16LE(10);
  const directoryBytes = record.readUInt32LE(12);
  const directoryStart = record.readUInt32LE(16);
  if (record.readUInt16LE(4) !== 0 || record.readUInt16LE(6) !== 0 || record.readUInt16LE(8) !== entryCount) {
    throw damagedArchiveError("the zip claims to be one part of several");
  }
  if (entryCount > limits.maxEntries) throw damagedArchiveError(`the zip has more than ${limits.maxEntries} entries`);
  if (directoryStart + directoryBytes !== position) {
    throw damagedArchiveError("the zip's central directory is not where its end record says");
  }
  if (directoryBytes < entryCount * DIRECTORY_BYTES || directoryBytes > entryCount * MAX_DIRECTORY_BYTES) {
    throw damagedArchiveError(`the zip's central directory cannot hold ${entryCount} entries`);
  }
  return { directoryStart, directoryBytes };
}

export function readCheckedDirectory(files: readonly File[], end: ZipEnd, limits: ArchiveLimits): CheckedEntry[] {
  const length = files.reduce((sum, file) => sum + directoryBytes(file), 0);
  if (files.some(({ signature }) => signature !== DIRECTORY_SIGNATURE) || length !== end.directoryBytes) {
    throw damagedArchiveError("the zip's central directory is broken, or not as long as its records");
  }
  for (const file of files) {
    const problem = recordProblem(file) ?? nameProblem(file, limits) ?? sizeProblem(file, limits);
    if (problem !== undefined) throw damagedArchiveError(`entry ${safeForMessage(file.path)} ${problem}`);
  }
  const total = files.reduce((sum, file) => sum + file.uncompressedSize, 0);
  if (total > limits.maxTotalBytes + limits.maxManifestBytes) {
    throw damagedArchiveError(`the zip unpacks to more than ${limits.maxTotalBytes} bytes`);
  }
  checkNames(files);
  const inOrder = files.toSorted((left, right) => left.offsetToLocalFileHeader - right.offsetToLocalFileHeader);
  checkOverlaps(inOrder, end);
  return inOrder.map((file, index) => ({
    file,
    uncompressedSize: file.uncompressedSize,
    endsBefore: inOrder[index + 1]?.offsetToLocalFileHeader ?? end.directoryStart,
  }));
}

/** `zip -r` writes entries for folders, without content. */
export function isFolderPath(path: string): boolean {
  return path.endsWith("/");
}

function directoryBytes({ fileNameLength, extraFieldLength, fileCommentLength }: File): number {
  return DIRECTORY_BYTES + fileNameLength + extraFieldLength + fileCommentLength;
}

function recordProblem(file: File): string | undefined {
  if ((file.flags & ENCRYPTED) !== 0) return "is encrypted";
  if (file.compressionMethod !== STORED && file.compressionMethod !== DEFLATED) return "uses an unknown compression";
  // Refuses ZIP64 fields, because unzipper would use their sizes in place of the directory's.
  const sizes = [file.compressedSize, file.uncompressedSize, file.offsetToLocalFileHeader];
  if (Object.keys(file.extra).length > 0 || !sizes.every((size) => size < ZIP64_MARK)) return "has ZIP64 fields";
  const type = (file.externalFileAttributes >>> 16) & FILE_TYPE;
  if (type === 0 || type === (isFolderPath(file.path) ? FOLDER : REGULAR_FILE)) return undefined;
  return "is a link or a device, or its name and its type disagree";
}

function nameProblem({ path, pathBuffer, fileNameLength }: File, limits: ArchiveLimits): string | undefined {
  if (path === "" || fileNameLength > limits.maxNameLength) return "has no name, or one that is too long";
  if (!isUtf8(pathBuffer)) return "has a name that is not UTF-8";
  if (path.includes("\\") || LEAVES.test(path)) return "has a name that may point outside the archive";
  return /\p{C}/u.test(path) ? "has a name with control characters" : undefined;
}

function sizeProblem(file: File, limits: ArchiveLimits): string | undefined {
  const { compressedSize, uncompressedSize } = file;
  if (isFolderPath(file.path)) return uncompressedSize === 0 ? undefined : "is a folder with content";
  const most = file.path === MANIFEST_PATH ? limits.maxManifestBytes : limits.maxEntryBytes;
  if (uncompressedSize > most) return `is over ${most} bytes`;
  // No file of an archive is empty.
  if (compressedSize === 0) return "is empty";
  if (file.compressionMethod === STORED && compressedSize !== uncompressedSize) return "has two different sizes";
  const suspicious = uncompressedSize > RATIO_FREE_BYTES && uncompressedSize / compressedSize > limits.maxRatio;
  return suspicious ? `unpacks to more than ${limits.maxRatio} times its size` : undefined;
}

function checkNames(files: readonly File[]): void {
  const seen = new Set<string>();
  for (const { path } of files) {
    const folded = path.normalize("NFC").toLowerCase();
    if (seen.has(folded))
      throw damagedArchiveError(
        `two entries have the same name, ${safeForMessage(path)}, if case and Unicode form are ignored`,
      );
    seen.add(folded);
  }
}

/** A small zip of overlapping entries can unpack to any size, and two tools can read different files from such a zip. */
function checkOverlaps(inOrder: readonly File[], end: ZipEnd): void {
  let free = 0;
  for (const { path, offsetToLocalFileHeader, fileNameLength, compressedSize } of inOrder) {
    if (offsetToLocalFileHeader < free) throw damagedArchiveError(`entry ${safeForMessage(path)} overlaps another`);
    free = offsetToLocalFileHeader + LOCAL_BYTES + fileNameLength + compressedSize;
  }
  if (free > end.directoryStart)
    throw damagedArchiveError("the last entry of the zip reaches into its central directory");
  if ((inOrder[0]?.offsetToLocalFileHeader ?? 0) !== 0)
    throw damagedArchiveError("the zip has something before its first entry");
}

/** Refuses a local header that contradicts the directory, because some tools use the header. */
export async function readStoredBytes(zip: ByteSource, { file, endsBefore }: CheckedEntry): Promise<Buffer> {
  const { path, offsetToLocalFileHeader: offset, compressedSize, fileNameLength } = file;
  const named = LOCAL_BYTES + fileNameLength;
  // Reads enough for the longest extra field, because the local header states its length.
  const bytes = await zip.read(offset, Math.min(named + MAX_EXTRA_BYTES + compressedSize, endsBefore - offset));
  if (bytes === undefined || !agreesWithDirectory(bytes, file)) {
    throw damagedArchiveError(`entry ${path} has a local header that contradicts the directory of the zip`);
  }
  const length = named + bytes.readUInt16LE(28) + compressedSize;
  if (length > bytes.length) throw damagedArchiveError(`entry ${path} reaches into the next entry`);
  return bytes.subarray(0, length);
}

function agreesWithDirectory(head: Buffer, file: File): boolean {
  const flags = head.readUInt16LE(6);
  const sizesAgree =
    head.readUInt32LE(14) === file.crc32 &&
    head.readUInt32LE(18) === file.compressedSize &&
    head.readUInt32LE(22) === file.uncompressedSize;
  return (
    head.readUInt32LE(0) === LOCAL_SIGNATURE &&
    (flags & ENCRYPTED) === 0 &&
    head.readUInt16LE(8) === file.compressionMethod &&
    ((flags & HAS_DATA_DESCRIPTOR) !== 0 || sizesAgree) &&
    head.readUInt16LE(26) === file.fileNameLength &&
    head.subarray(LOCAL_BYTES, LOCAL_BYTES + file.fileNameLength).equals(file.pathBuffer)
  );
}

export async function readCheckedContent(file: File, chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const { path, uncompressedSize } = file;
  const content = Buffer.alloc(uncompressedSize);
  let size = 0;
  for await (const chunk of chunks) {
    if (size + chunk.length > uncompressedSize) throw wrongSize(path);
    content.set(chunk, size);
    size += chunk.length;
  }
  if (size !== uncompressedSize) throw wrongSize(path);
  if (crc32(content) !== file.crc32) throw damagedArchiveError(`entry ${path} does not match its CRC`);
  return content;
}

function wrongSize(path: string): Error {
  return damagedArchiveError(`entry ${path} does not have the size that is stated`);
}
