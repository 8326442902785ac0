import { isUtf8 } from "node:buffer";
import { damagedArchive } from "./archive-errors.ts";
import type { RandomReads } from "./random-access.ts";
import { readRange } from "./read-range.ts";
import { DIRECTORY_RECORD_BYTES } from "./zip-end.ts";
import type { ZipEnd } from "./zip-end.ts";

/** What a zip's central directory says of one file. Nothing of it is checked yet. */
export interface DirectoryRecord {
  readonly path: string;
  readonly isUtf8: boolean;
  /** Length of the path, in bytes. */
  readonly nameBytes: number;
  readonly flags: number;
  readonly method: number;
  readonly crc32: number;
  readonly compressedSize: number;
  readonly uncompressedSize: number;
  /** Of the local header, from the start of the file. */
  readonly offset: number;
  readonly externalAttributes: number;
}

const SIGNATURE = 0x02014b50;

/**
 * Reads the central directory: exactly as many records as the end record counts, and nothing besides. An archive can have 50,000,
 * so no more is kept of each than is asked for. @throws StackferryError `archive-damaged`
 */
export function readZipDirectory(zip: RandomReads, end: ZipEnd): DirectoryRecord[] {
  const bytes = readRange(zip, end.directoryStart, end.directoryBytes);
  if (bytes === undefined) throw damagedArchive("the zip was cut short while it was read");
  const records: DirectoryRecord[] = [];
  let at = 0;
  while (records.length < end.entryCount) {
    const length = recordLength(bytes, at);
    if (length === undefined)
      throw damagedArchive(`record ${String(records.length + 1)} of the zip's directory is broken`);
    records.push(recordAt(bytes, at));
    at += length;
  }
  if (at !== bytes.length) throw damagedArchive("the zip's central directory is not as long as its records");
  return records;
}

/** Undefined where no record stands, or not all of it. */
function recordLength(bytes: Buffer, at: number): number | undefined {
  if (at + DIRECTORY_RECORD_BYTES > bytes.length || bytes.readUInt32LE(at) !== SIGNATURE) return undefined;
  // The path, extra fields and a comment follow.
  const more = bytes.readUInt16LE(at + 28) + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
  const length = DIRECTORY_RECORD_BYTES + more;
  return at + length > bytes.length ? undefined : length;
}

function recordAt(bytes: Buffer, at: number): DirectoryRecord {
  const nameBytes = bytes.readUInt16LE(at + 28);
  const [start, end] = [at + DIRECTORY_RECORD_BYTES, at + DIRECTORY_RECORD_BYTES + nameBytes];
  const path = bytes.toString("utf8", start, end);
  return {
    path,
    isUtf8: !path.includes("\ufffd") || isUtf8(bytes.subarray(start, end)),
    nameBytes,
    flags: bytes.readUInt16LE(at + 8),
    method: bytes.readUInt16LE(at + 10),
    crc32: bytes.readUInt32LE(at + 16),
    compressedSize: bytes.readUInt32LE(at + 20),
    uncompressedSize: bytes.readUInt32LE(at + 24),
    offset: bytes.readUInt32LE(at + 42),
    externalAttributes: bytes.readUInt32LE(at + 38),
  };
}
