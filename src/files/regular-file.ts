import { constants } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { open } from "node:fs/promises";
import { systemCode } from "./errors.ts";

const MEBIBYTE = 1024 * 1024;

/** Windows knows neither FIFOs nor this flag. */
const NONBLOCK = constants.O_NONBLOCK ?? 0;
const NOFOLLOW = constants.O_NOFOLLOW ?? 0;

/** What has the name of a file is none. Its message says what it is: "it is a FIFO or a device, not a file". */
export class NotAFileError extends Error {}

/** How a file is opened. */
export interface OpenRegularFile {
  /** Of `node:fs`; to read unless told. */
  readonly flags?: number;
  /** Of a file that is made. */
  readonly mode?: number;
  /** Refuse a symbolic link. */
  readonly noLink?: boolean;
}

/**
 * Opens a file, and refuses at once what is none: a FIFO would keep the run waiting for ever, and a device has no end.
 * The errors are those of the file system, or say what it is.
 */
export async function openRegularFile(path: string, options: OpenRegularFile = {}): Promise<FileHandle> {
  const { flags = constants.O_RDONLY, mode, noLink = false } = options;
  const handle = await open(path, flags | NONBLOCK | (noLink ? NOFOLLOW : 0), mode).catch((error: unknown) => {
    throw noLink && systemCode(error) === "ELOOP"
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

/** What people write by hand, and what is drafted for them, is far smaller. */
const MAX_TEXT_FILE_BYTES = 16 * MEBIBYTE;

/** The text of a file. The errors are those of `openRegularFile`; a file that is too large is refused unread. */
export async function readRegularFile(path: string, most = MAX_TEXT_FILE_BYTES): Promise<string> {
  await using handle = await openRegularFile(path);
  const { size } = await handle.stat();
  if (size > most) throw new NotAFileError(`it is larger than ${most / MEBIBYTE} MiB`);
  return await handle.readFile("utf8");
}
