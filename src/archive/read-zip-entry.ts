import { damagedArchive } from "./archive-errors.ts";
import type { RandomReads } from "./random-access.ts";
import { readRange } from "./read-range.ts";
import type { KeptFile, ZippedFile } from "./unpack-file.ts";

/** What of a directory record is needed to read the entry. */
export interface ZipEntry extends ZippedFile {
  /** Of the local header, from the start of the file. */
  readonly offset: number;
  /** Where the next entry or the directory begins. */
  readonly endsBefore: number;
  readonly compressedSize: number;
}

const LOCAL_SIGNATURE = 0x04034b50;
const LOCAL_BYTES = 30;
const ENCRYPTED = 0x0001;

/** Reads one entry into memory, and checks its local header against the directory: tools that read one after the other rely on it. */
export function readZipEntry(zip: RandomReads, entry: ZipEntry): KeptFile {
  const start = checkLocalHeader(zip, entry);
  const bytes =
    start + entry.compressedSize > entry.endsBefore ? undefined : readRange(zip, start, entry.compressedSize);
  if (bytes === undefined) throw damagedArchive(`entry ${entry.path} reaches into what follows it`);
  return { bytes, zipped: entry };
}

/** Where the entry's bytes begin. */
function checkLocalHeader(zip: RandomReads, { path, offset, method }: ZipEntry): number {
  const name = Buffer.from(path, "utf8");
  const header = readRange(zip, offset, LOCAL_BYTES + name.length);
  const agrees =
    header?.readUInt32LE(0) === LOCAL_SIGNATURE &&
    (header.readUInt16LE(6) & ENCRYPTED) === 0 &&
    header.readUInt16LE(8) === method &&
    header.readUInt16LE(26) === name.length &&
    header.subarray(LOCAL_BYTES).equals(name);
  if (!agrees) throw damagedArchive(`entry ${path} has a local header that contradicts the directory`);
  return offset + LOCAL_BYTES + name.length + header.readUInt16LE(28);
}
