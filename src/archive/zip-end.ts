import { damagedArchive, unknownArchive } from "./archive-errors.ts";
import type { ArchiveLimits } from "./limits.ts";
import type { RandomReads } from "./random-access.ts";
import { readRange } from "./read-range.ts";

/** The end of a zip's central directory, checked against the file's size. */
export interface ZipEnd {
  readonly entryCount: number;
  readonly directoryStart: number;
  readonly directoryBytes: number;
}

const LOCAL_SIGNATURE = 0x04034b50;
const END_SIGNATURE = 0x06054b50;
const ZIP64_LOCATOR_SIGNATURE = 0x07064b50;
const END_BYTES = 22;
const ZIP64_LOCATOR_BYTES = 20;
/** The fixed part of a directory record. */
export const DIRECTORY_RECORD_BYTES = 46;
/** What one directory record may take: its fixed part, a path, and the extra fields that other tools add. */
const MOST_DIRECTORY_RECORD_BYTES = 1024;
const MOST_COMMENT_BYTES = 0xffff;

/**
 * Finds and checks the end record before anything else is read: memory is set aside for a directory as long as it says. Throws
 * `archive-unknown` for what is no zip, `archive-damaged` for a zip that was cut or forged.
 */
export function findZipEnd(zip: RandomReads, size: number, limits: ArchiveLimits): ZipEnd {
  if (size === 0) throw unknownArchive("the file is empty");
  const tailStart = Math.max(0, size - END_BYTES - MOST_COMMENT_BYTES - ZIP64_LOCATOR_BYTES);
  const tail = readRange(zip, tailStart, size - tailStart);
  const at = tail === undefined ? -1 : endRecordIn(tail);
  if (tail === undefined || at < 0) throw withoutEnd(zip);
  if (at >= ZIP64_LOCATOR_BYTES && tail.readUInt32LE(at - ZIP64_LOCATOR_BYTES) === ZIP64_LOCATOR_SIGNATURE) {
    throw damagedArchive("the zip is a ZIP64, which no archive within the limits needs to be");
  }
  return checkedEnd(tail.subarray(at), tailStart + at, limits);
}

/** The last place where an end record stands whose comment reaches to the end of the file. */
function endRecordIn(tail: Buffer): number {
  for (let at = tail.length - END_BYTES; at >= 0; at -= 1) {
    if (tail.readUInt32LE(at) === END_SIGNATURE && tail.readUInt16LE(at + 20) === tail.length - at - END_BYTES)
      return at;
  }
  return -1;
}

function withoutEnd(zip: RandomReads): Error {
  const start = readRange(zip, 0, 4);
  return start?.readUInt32LE(0) === LOCAL_SIGNATURE
    ? damagedArchive("the zip has no end: it was cut short, or something was appended to it")
    : unknownArchive("the file is not a zip");
}

function checkedEnd(record: Buffer, position: number, limits: ArchiveLimits): ZipEnd {
  const entryCount = record.readUInt16LE(10);
  const directoryBytes = record.readUInt32LE(12);
  const directoryStart = record.readUInt32LE(16);
  if (record.readUInt16LE(4) !== 0 || record.readUInt16LE(6) !== 0 || record.readUInt16LE(8) !== entryCount) {
    throw damagedArchive("the zip claims to be one part of several");
  }
  if (entryCount > limits.maxEntries)
    throw damagedArchive(`the zip has more than ${String(limits.maxEntries)} entries`);
  if (directoryStart + directoryBytes !== position) {
    throw damagedArchive("the zip's central directory is not where its end record says");
  }
  const least = entryCount * DIRECTORY_RECORD_BYTES;
  if (directoryBytes < least || directoryBytes > entryCount * MOST_DIRECTORY_RECORD_BYTES) {
    throw damagedArchive(`the zip's central directory cannot hold ${String(entryCount)} entries`);
  }
  return { entryCount, directoryStart, directoryBytes };
}
