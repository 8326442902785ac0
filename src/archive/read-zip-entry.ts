import { crc32 } from "node:zlib";
import { damagedArchive } from "./archive-errors.ts";
import { unpackBytes } from "./pack-bytes.ts";
import type { RandomAccess } from "./random-access.ts";
import { readRange } from "./read-range.ts";

/** What of a directory record is needed to read the entry: unzipper's own records take kilobytes each. */
export interface ZipEntry {
  readonly path: string;
  /** Of the local header, from the start of the file. */
  readonly offset: number;
  /** Where the next entry or the directory begins. */
  readonly endsBefore: number;
  readonly method: number;
  readonly compressedSize: number;
  readonly uncompressedSize: number;
  readonly crc32: number;
}

const LOCAL_SIGNATURE = 0x04034b50;
const LOCAL_BYTES = 30;
const ENCRYPTED = 0x0001;
const STORED = 0;

/**
 * Reads one entry into memory: nothing over the size that the directory states is unpacked. Checks the local header against the
 * directory (tools that read one after the other rely on it) and the CRC, which alone guards the manifest.
 */
export async function readZipEntry(zip: RandomAccess, entry: ZipEntry): Promise<Buffer> {
  const start = await checkLocalHeader(zip, entry);
  const packed =
    start + entry.compressedSize > entry.endsBefore ? undefined : await readRange(zip, start, entry.compressedSize);
  if (packed === undefined) throw damagedArchive(`entry ${entry.path} reaches into what follows it`);
  const bytes = entry.method === STORED ? packed : await unpack(packed, entry);
  if (bytes.length !== entry.uncompressedSize) throw wrongSize(entry);
  if (crc32(bytes) !== entry.crc32) throw damagedArchive(`entry ${entry.path} does not match its CRC`);
  return bytes;
}

/** Where the entry's bytes begin. */
async function checkLocalHeader(zip: RandomAccess, { path, offset, method }: ZipEntry): Promise<number> {
  const name = Buffer.from(path, "utf8");
  const header = await readRange(zip, offset, LOCAL_BYTES + name.length);
  const agrees =
    header?.readUInt32LE(0) === LOCAL_SIGNATURE &&
    (header.readUInt16LE(6) & ENCRYPTED) === 0 &&
    header.readUInt16LE(8) === method &&
    header.readUInt16LE(26) === name.length &&
    header.subarray(LOCAL_BYTES).equals(name);
  if (!agrees) throw damagedArchive(`entry ${path} has a local header that contradicts the directory`);
  return offset + LOCAL_BYTES + name.length + header.readUInt16LE(28);
}

async function unpack(packed: Buffer, entry: ZipEntry): Promise<Buffer> {
  try {
    return await unpackBytes(packed, entry.uncompressedSize);
  } catch (error) {
    const isLarger = error instanceof Error && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE";
    throw isLarger ? wrongSize(entry) : damagedArchive(`entry ${entry.path} cannot be unpacked`, error);
  }
}

function wrongSize({ path }: ZipEntry): Error {
  return damagedArchive(`entry ${path} does not have the size that is stated`);
}
