import { crc32 } from "node:zlib";
import type { File } from "unzipper";
import { damagedArchive } from "./archive-errors.ts";
import type { RandomAccess } from "./random-access.ts";
import { readRange } from "./read-range.ts";

const LOCAL_SIGNATURE = 0x04034b50;
const LOCAL_BYTES = 30;
const ENCRYPTED = 0x0001;

/**
 * Streams one entry into memory, counting: nothing over the size that the directory states is taken in. Checks the local
 * header against the directory (tools that read one after the other rely on it) and the CRC, which alone guards the manifest.
 */
export async function readZipEntry(zip: RandomAccess, file: File): Promise<Buffer> {
  await checkLocalHeader(zip, file);
  const bytes = await collect(file);
  if (crc32(bytes) !== file.crc32) throw damagedArchive(`entry ${file.path} does not match its CRC`);
  return bytes;
}

async function checkLocalHeader(zip: RandomAccess, file: File): Promise<void> {
  const header = await readRange(zip, file.offsetToLocalFileHeader, LOCAL_BYTES + file.fileNameLength);
  const agrees =
    header?.readUInt32LE(0) === LOCAL_SIGNATURE &&
    (header.readUInt16LE(6) & ENCRYPTED) === 0 &&
    header.readUInt16LE(8) === file.compressionMethod &&
    header.readUInt16LE(26) === file.fileNameLength &&
    header.subarray(LOCAL_BYTES).equals(file.pathBuffer);
  if (!agrees) throw damagedArchive(`entry ${file.path} has a local header that contradicts the directory`);
}

async function collect(file: File): Promise<Buffer> {
  const stream = file.stream();
  // unzipper may report one failure twice; the second time, nobody listens any more.
  stream.on("error", () => {});
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stream) {
    if (!Buffer.isBuffer(chunk)) break;
    length += chunk.length;
    if (length > file.uncompressedSize) break;
    chunks.push(chunk);
  }
  if (length !== file.uncompressedSize)
    throw damagedArchive(`entry ${file.path} does not have the size that is stated`);
  return Buffer.concat(chunks, length);
}
