import { createHash } from "node:crypto";
import { constants, createReadStream } from "node:fs";
import { access, open, type FileHandle } from "node:fs/promises";
import type { ByteSource, FileDigest } from "../core/ports.ts";
import { systemErrorCode } from "./errors.ts";

const MEBIBYTE = 1024 * 1024;

/** With this flag, `open` does not wait for the other end of a FIFO. Windows lacks the flag. */
const NONBLOCK = constants.O_NONBLOCK ?? 0;
const NOFOLLOW = constants.O_NOFOLLOW ?? 0;

export class NotAFileError extends Error {}

export interface OpenFileOptions {
  readonly flags?: number;
  readonly mode?: number;
  readonly refusesLinks?: boolean;
}

/** Refuses anything but a regular file: reads of a FIFO or a device can last for ever. @throws NotAFileError */
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

export const MAX_TEXT_FILE_BYTES = 16 * MEBIBYTE;

/** @throws NotAFileError also for a file over `MAX_TEXT_FILE_BYTES` */
export async function readRegularFile(path: string): Promise<string> {
  await using handle = await openRegularFile(path);
  const { size } = await handle.stat();
  if (size > MAX_TEXT_FILE_BYTES) throw new NotAFileError(`it is larger than ${MAX_TEXT_FILE_BYTES / MEBIBYTE} MiB`);
  return await handle.readFile("utf8");
}

/** Decodes as Latin-1: one character for each byte. */
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

export function fileSource(handle: FileHandle, size: number, close = (): Promise<void> => handle.close()): ByteSource {
  return { size, read: (position, length) => readRange(handle, position, length), close };
}

/** Returns undefined if the file ends before `length` bytes are read. */
export async function readRange(handle: FileHandle, start: number, length: number): Promise<Buffer | undefined> {
  const bytes = Buffer.alloc(length);
  for (let filled = 0; filled < length;) {
    const { bytesRead } = await handle.read(bytes, filled, length - filled, start + filled);
    if (bytesRead === 0) return undefined;
    filled += bytesRead;
  }
  return bytes;
}
