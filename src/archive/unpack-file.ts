import { createHash, webcrypto } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { crc32 } from "node:zlib";
import { StackferryError } from "../domain/errors.ts";
import { inflated, inflatedSync } from "../domain/raw-deflate.ts";
import { damagedArchive } from "./archive-errors.ts";

/** A file of an archive as it is kept there. */
export interface KeptFile {
  readonly bytes: Uint8Array;
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

/** What was put in the archive. */
export interface UnpackedFile {
  readonly bytes: Uint8Array;
  /** In hex. */
  readonly sha256: string;
}

/**
 * Has `read` look at a file, once. Only for so long are the bytes its own: whoever unpacks may use their memory again. Throws
 * `archive-damaged`, and what `read` throws.
 */
export type Unpacked = <Read>(read: (file: UnpackedFile) => Read) => Read;

/** Unpacks a file, or sees to it that it can be done at once. Rejects with `archive-damaged`. */
export type Unpack = (file: KeptFile) => Promise<Unpacked>;

/** The method of a file that is not packed. */
export const STORED = 0;

/** Up to this size a file is unpacked in less time than it takes to have another thread do it (measured). */
const SMALL_BYTES = 64_000;

/** After so much of small files it is everything else's turn. */
const TURN_BYTES = 1_000_000;

/**
 * Unpacks small files when they are looked at, and has Node's own threads unpack the others. Nothing over the size that the
 * zip states is unpacked, and its CRC is checked.
 */
export function unpackBySize(): Unpack {
  let bytes = 0;
  return async (file) => {
    const size = unpackedBytes(file);
    if (size > SMALL_BYTES) {
      const unpacked = await unpackElsewhere(file);
      return (read) => read(unpacked);
    }
    bytes += size;
    if (bytes > TURN_BYTES) {
      bytes = 0;
      // Or a signal would be heard at the end of the archive only.
      await setImmediate();
    }
    return (read) => read(unpackFileSync(file));
  };
}

/** The same at once, whatever the size. @throws StackferryError `archive-damaged` */
export function unpackFileSync({ bytes, zipped }: KeptFile): UnpackedFile {
  const unpacked = zipped === undefined ? bytes : unzippedSync(bytes, zipped);
  return { bytes: unpacked, sha256: createHash("sha256").update(unpacked).digest("hex") };
}

/** Size of what a file unpacks to, as far as is said, in bytes. */
export function unpackedBytes({ bytes, zipped }: KeptFile): number {
  return zipped?.uncompressedSize ?? bytes.length;
}

async function unpackElsewhere({ bytes, zipped }: KeptFile): Promise<UnpackedFile> {
  const unpacked = zipped === undefined ? bytes : await unzipped(bytes, zipped);
  const digest = await webcrypto.subtle.digest("SHA-256", unpacked);
  return { bytes: unpacked, sha256: Buffer.from(digest).toString("hex") };
}

async function unzipped(bytes: Uint8Array, zipped: ZippedFile): Promise<Uint8Array> {
  try {
    return checked(zipped.method === STORED ? bytes : await inflated(bytes, zipped.uncompressedSize), zipped);
  } catch (error) {
    throw flawOf(zipped, error);
  }
}

function unzippedSync(bytes: Uint8Array, zipped: ZippedFile): Uint8Array {
  try {
    return checked(zipped.method === STORED ? bytes : inflatedSync(bytes, zipped.uncompressedSize), zipped);
  } catch (error) {
    throw flawOf(zipped, error);
  }
}

function checked(bytes: Uint8Array, zipped: ZippedFile): Uint8Array {
  if (bytes.length !== zipped.uncompressedSize) throw wrongSize(zipped);
  if (crc32(bytes) !== zipped.crc32) throw wrongContent(zipped);
  return bytes;
}

/** What is wrong with a file, told of the error at which unpacking it ended. */
export function flawOf(zipped: ZippedFile, error: unknown): Error {
  if (error instanceof StackferryError) return error;
  const isLarger = error instanceof Error && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE";
  return isLarger ? wrongSize(zipped) : damagedArchive(`entry ${zipped.path} cannot be unpacked`, error);
}

export function wrongSize({ path }: ZippedFile): Error {
  return damagedArchive(`entry ${path} does not have the size that is stated`);
}

export function wrongContent({ path }: ZippedFile): Error {
  return damagedArchive(`entry ${path} does not match its CRC`);
}
