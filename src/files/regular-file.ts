import { createHash } from "node:crypto";
import { constants, createReadStream } from "node:fs";
import { access, open, type FileHandle } from "node:fs/promises";
import type { ByteSource, FileDigest } from "../core/ports.ts";
import { systemErrorCode } from "./errors.ts";

const MEBIBYTE = 1024 * 1024;

/** With this flag, `open` does not wait for the other end of a FIFO. Windows has neither FIFOs nor the flag. */
const NONBLOCK = constants.O_NONBLOCK ?? 0;
const NOFOLLOW = constants.O_NOFOLLOW ?? 0;

/** The error for a folder, a FIFO, a device or a refused link in place of a file, or for a text file that is too large. */
export class NotAFileError extends Error {}

export interface OpenFileOptions {
  /** By default `O_RDONLY`. */
  readonly flags?: number;
  readonly mode?: number;
  /** By default, a symbolic link is followed. */
  readonly refusesLinks?: boolean;
}

/**
 * Opens a regular file and rejects anything else at once: a FIFO would block for ever and a device never ends. Throws
 * errors of the file system, or a `NotAFileError` that says what the path is.
 */
export async function openRegularFile(path: string, options: OpenFileOptions = {}): Promise<FileHandle> {
  const { flags = constants.O_RDONLY, mode, refusesLinks = false } = options;
  const handle = await open(path, flags | NONBLOCK | (refusesLinks ? NOFOLLOW : 0), mode).catch((error: unknown) => {
    throw refusesLinks && systemErrorCode(error) === "ELOOP"
      ? new NotAFileError("it is a symbolic link", { cause: error })
      : error;
  });
  try {
    const stats = await handle.stat();
    if (!stats.isFile())
      throw new NotAFileError(`it is ${stats.isDirectory() ? "a folder" : "a FIFO or a device"}, not a file`);
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

export function fileExists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/** Maximum size of a text file that is read whole. Hand-written files are far smaller. */
export const MAX_TEXT_FILE_BYTES = 16 * MEBIBYTE;

/** Throws what `openRegularFile` throws, and `NotAFileError` for a file over `MAX_TEXT_FILE_BYTES`. */
export async function readRegularFile(path: string): Promise<string> {
  await using handle = await openRegularFile(path);
  const { size } = await handle.stat();
  if (size > MAX_TEXT_FILE_BYTES) throw new NotAFileError(`it is larger than ${MAX_TEXT_FILE_BYTES / MEBIBYTE} MiB`);
  return await handle.readFile("utf8");
}

/** Reads the first bytes of a file as Latin-1, one character for each byte. Throws what `openRegularFile` throws. */
export async function readHead(path: string, bytes: number): Promise<string> {
  await using handle = await openRegularFile(path);
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(bytes), 0, bytes, 0);
  return buffer.toString("latin1", 0, bytesRead);
}

export async function digestFile(path: string, signal?: AbortSignal): Promise<FileDigest> {
  const hash = createHash("sha256");
  let bytes = 0;
  for await (const chunk of createReadStream(path, signal === undefined ? {} : { signal })) {
    if (!Buffer.isBuffer(chunk)) continue;
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { bytes, sha256: hash.digest("hex") };
}

/** @param close closes the handle and whatever else must be closed with the handle */
export function fileSource(handle: FileHandle, size: number, close = (): Promise<void> => handle.close()): ByteSource {
  return { size, read: (position, length) => readRange(handle, position, length), close };
}

/** Reads exactly `length` bytes from `start`; undefined if the file ends earlier. */
export async function readRange(handle: FileHandle, start: number, length: number): Promise<Buffer | undefined> {
  const bytes = Buffer.alloc(length);
  for (let filled = 0; filled < length;) {
    const { bytesRead } = await handle.read(bytes, filled, length - filled, start + filled);
    if (bytesRead === 0) return undefined;
    filled += bytesRead;
  }
  return bytes;
}
