import { randomBytes } from "node:crypto";
import { mkdir, open, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { fileError, systemErrorCode } from "./errors.ts";
import { StackferryError } from "../core/errors.ts";
import { NotAFileError, readHead } from "./regular-file.ts";

export const PRIVATE_FILE_MODE = 0o600;

export const PRIVATE_FOLDER_MODE = 0o700;

export type FileContent = string | Uint8Array | AsyncIterable<Uint8Array>;

export interface WriteOptions {
  /** By default `PRIVATE_FILE_MODE`. */
  readonly mode?: number;
  readonly signal?: AbortSignal;
  /** Inspects the temporary file before the rename. An error stops the write. */
  readonly check?: (path: string) => Promise<void>;
}

/** Writes a file whole or not at all: temporary file, flush, check, rename. Replaces a link instead of following the link. */
export async function writeAtomically(
  path: string,
  content: FileContent,
  { mode = PRIVATE_FILE_MODE, signal, check }: WriteOptions = {},
): Promise<void> {
  const temporary = siblingPath(path, "part");
  try {
    await writeNewFile(temporary, content, mode);
    await check?.(temporary);
    signal?.throwIfAborted();
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {});
    throw error;
  }
  await syncDirectory(dirname(resolve(path)));
}

/**
 * Writes a new file and flushes the file to disk. Removes the file if the write fails: an empty file, as a full disk
 * leaves it, could be taken for a complete one. The flag "wx" neither follows a link nor opens an existing file.
 */
export async function writeNewFile(path: string, content: FileContent, mode = PRIVATE_FILE_MODE): Promise<void> {
  await using handle = await open(path, "wx", mode);
  const chunks = typeof content === "string" || content instanceof Uint8Array ? [content] : content;
  try {
    for await (const chunk of chunks) await handle.writeFile(chunk);
    await handle.sync();
  } catch (error) {
    await rm(path, { force: true }).catch(() => {});
    throw error;
  }
}

/** Writes a text file that only its owner can read, whole or not at all. @throws StackferryError `archive-io` */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  try {
    await writeAtomically(path, text);
  } catch (error) {
    throw fileError("write", path, error);
  }
}

/**
 * Creates a private folder and missing parent folders. Succeeds if the folder exists, because another run may create the folder at
 * the same time. Node's recursive `mkdir` never ends below a folder that answers ENOENT to every new entry, such as /proc.
 * @throws StackferryError `usage` for a missing folder named `~`
 */
export async function makePrivateFolder(path: string): Promise<void> {
  const parent = dirname(resolve(path));
  if (parent !== resolve(path) && (await isMissing(parent))) await makePrivateFolder(parent);
  if (basename(path) === "~") await refuseHomeSign(path);
  try {
    await mkdir(path, { mode: PRIVATE_FOLDER_MODE });
  } catch (error) {
    if (!(await isFolder(path))) throw error;
  }
}

/** Refuses to create a folder named `~`. The user means the home folder, but only a shell replaces `~`. */
async function refuseHomeSign(path: string): Promise<void> {
  if (!(await isMissing(path))) return;
  throw new StackferryError("usage", `${path} is not created: ~ does not stand for the home folder here`, {
    hint: "write the whole path; a shell replaces ~ only at the beginning of a word",
  });
}

async function isMissing(path: string): Promise<boolean> {
  return await stat(path).then(
    () => false,
    (error: unknown) => systemErrorCode(error) === "ENOENT",
  );
}

async function isFolder(path: string): Promise<boolean> {
  return await stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
}

/** Returns an unpredictable hidden path, `.<name>.<16 hex digits>.<ending>`, in the same folder. */
export function siblingPath(path: string, ending: "part" | "old"): string {
  const target = resolve(path);
  return join(dirname(target), `.${basename(target)}.${randomBytes(8).toString("hex")}.${ending}`);
}

/** Error codes with which Windows and some network file systems refuse to flush a directory. */
const UNSUPPORTED = new Set(["EISDIR", "EPERM", "EACCES", "EINVAL", "ENOTSUP", "EBADF"]);

/** Flushes a directory's entries to disk if the system can, so that a rename survives a power cut. */
export async function syncDirectory(path: string): Promise<void> {
  try {
    await using handle = await open(path, "r");
    await handle.sync();
  } catch (error) {
    if (!UNSUPPORTED.has(systemErrorCode(error) ?? "")) throw error;
  }
}

const HEAD_BYTES = 64;

/**
 * Refuses a path where an output would replace a file of another kind, such as an archive. An empty file may be replaced.
 * @param begins matches the beginning of files that may be replaced
 * @param noun the expected kind of file, for the message: "a report"
 * @throws StackferryError `usage`
 */
export async function refuseOtherFile(path: string, begins: RegExp, noun: string): Promise<void> {
  // For a folder or device, `head` is the error's message, which `begins` does not match. The write reports other errors.
  const head = await readHead(path, HEAD_BYTES).catch((error) => (error instanceof NotAFileError ? error.message : ""));
  if (head === "" || begins.test(head)) return;
  throw otherFileError(path, noun);
}

/** @param noun the expected kind of file: "a report" */
export function otherFileError(path: string, noun: string): StackferryError {
  return new StackferryError("usage", `${path} exists and is not ${noun}; it is not overwritten`, {
    hint: "name another file, or delete this one first",
  });
}
