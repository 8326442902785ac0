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
  readonly mode?: number;
  readonly signal?: AbortSignal;
  readonly check?: (path: string) => Promise<void>;
}

/** Writes a file whole or not at all. Replaces a link instead of following the link. */
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

/** Removes the file if the write fails, because a full disk leaves an empty file that looks complete. */
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

export async function writePrivateFile(path: string, text: string): Promise<void> {
  try {
    await writeAtomically(path, text);
  } catch (error) {
    throw fileError("write", path, error);
  }
}

/**
 * Creates missing parents one by one: Node's recursive `mkdir` hangs where every new entry answers ENOENT, such as in /proc.
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

export function siblingPath(path: string, ending: "part" | "old"): string {
  const target = resolve(path);
  return join(dirname(target), `.${basename(target)}.${randomBytes(8).toString("hex")}.${ending}`);
}

/** Windows and some network file systems refuse with these codes to flush a directory. */
const UNSUPPORTED = new Set(["EISDIR", "EPERM", "EACCES", "EINVAL", "ENOTSUP", "EBADF"]);

/** Without this flush, a power cut can undo a rename. */
export async function syncDirectory(path: string): Promise<void> {
  try {
    await using handle = await open(path, "r");
    await handle.sync();
  } catch (error) {
    if (!UNSUPPORTED.has(systemErrorCode(error) ?? "")) throw error;
  }
}

const HEAD_BYTES = 64;

/** Accepts a missing or empty file. @param noun the expected kind of file: "a report" @throws StackferryError `usage` */
export async function refuseOtherFile(path: string, begins: RegExp, noun: string): Promise<void> {
  // Refuses a folder or a device, because `begins` does not match the error's message.
  const head = await readHead(path, HEAD_BYTES).catch((error) => (error instanceof NotAFileError ? error.message : ""));
  if (head === "" || begins.test(head)) return;
  throw otherFileError(path, noun);
}

export function otherFileError(path: string, noun: string): StackferryError {
  return new StackferryError("usage", `${path} exists and is not ${noun}; it is not overwritten`, {
    hint: "name another file, or delete this one first",
  });
}
