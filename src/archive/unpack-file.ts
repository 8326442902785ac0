import { crc32 } from "node:zlib";
import { StackferryError } from "../domain/errors.ts";
import { damagedArchive } from "./archive-errors.ts";
import { unpackBytes, unpackBytesSync } from "./pack-bytes.ts";

/** A file of an archive as it is kept there. */
export interface KeptFile {
  readonly bytes: Buffer;
  /** What a zip says of it. Files of a folder are kept as they are, and only the manifest knows what they should be. */
  readonly zipped?: ZippedFile;
}

/** How a zip keeps a file, and what it unpacks to. */
export interface ZippedFile {
  readonly path: string;
  readonly method: number;
  readonly uncompressedSize: number;
  readonly crc32: number;
}

const STORED = 0;

/**
 * What was put in the archive: nothing over the size that the zip states is unpacked. Checks the CRC, which alone guards the
 * manifest. Works in another thread. @throws StackferryError `archive-damaged`
 */
export async function unpackFile({ bytes, zipped }: KeptFile): Promise<Buffer> {
  if (zipped === undefined) return bytes;
  try {
    return checked(zipped.method === STORED ? bytes : await unpackBytes(bytes, zipped.uncompressedSize), zipped);
  } catch (error) {
    throw flawOf(zipped, error);
  }
}

/** The same at once, in this thread. */
export function unpackFileSync({ bytes, zipped }: KeptFile): Buffer {
  if (zipped === undefined) return bytes;
  try {
    return checked(zipped.method === STORED ? bytes : unpackBytesSync(bytes, zipped.uncompressedSize), zipped);
  } catch (error) {
    throw flawOf(zipped, error);
  }
}

function checked(bytes: Buffer, zipped: ZippedFile): Buffer {
  if (bytes.length !== zipped.uncompressedSize) throw wrongSize(zipped);
  if (crc32(bytes) !== zipped.crc32) throw damagedArchive(`entry ${zipped.path} does not match its CRC`);
  return bytes;
}

function flawOf(zipped: ZippedFile, error: unknown): Error {
  if (error instanceof StackferryError) return error;
  const isLarger = error instanceof Error && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE";
  return isLarger ? wrongSize(zipped) : damagedArchive(`entry ${zipped.path} cannot be unpacked`, error);
}

function wrongSize({ path }: ZippedFile): Error {
  return damagedArchive(`entry ${path} does not have the size that is stated`);
}
