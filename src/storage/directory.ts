import { constants, createReadStream } from "node:fs";
import { copyFile, lstat, readdir, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { StackferryError } from "../core/errors.ts";
import type { Repository, StoredFile } from "../core/ports.ts";
import { makePrivateFolder, siblingPath, writeAtomically, writeNewFile } from "../files/atomic-write.ts";
import { digestFile, NotAFileError, readRegularFile } from "../files/regular-file.ts";
import { fileError, systemErrorCode } from "../files/errors.ts";
import { requireSafeName, endlessListError, notStoredError, MAX_LISTED } from "./errors.ts";

/**
 * Does not create the folder: if its disk is not mounted, backups would fill another disk.
 * @throws StackferryError `usage` if there is no such folder
 */
export async function openFolderRepository(path: string, maxListed = MAX_LISTED): Promise<Repository> {
  await refuseMissing(path);
  const fullPath = (name: string): string => join(path, requireSafeName(name));
  const runOnFile = async <Result>(doing: string, name: string, act: () => Promise<Result>): Promise<Result> => {
    try {
      await refuseLinks(path, name);
      return await act();
    } catch (error) {
      if (doing === "read" && systemErrorCode(error) === "ENOENT") throw notStoredError(name, path, error);
      throw fileError(doing, join(path, name), error);
    }
  };
  return {
    address: path,
    list: (prefix) => runOnFile("list", prefix, () => listBelow(path, prefix, maxListed)),
    fetch: (name, localPath) =>
      runOnFile("read", name, () => copyFile(fullPath(name), localPath, constants.COPYFILE_EXCL)),
    put: (localPath, name, signal) =>
      runOnFile("write", name, async () => copyChecked(localPath, await withFolder(fullPath(name)), signal)),
    readText: (name) => runOnFile("read", name, () => readSmallFile(fullPath(name))),
    writeText: (name, text) =>
      runOnFile("write", name, async () => writeAtomically(await withFolder(fullPath(name)), text)),
    remove: (name) => runOnFile("remove", name, () => rm(fullPath(name), { force: true })),
    clockAhead: () => runOnFile("write", "", () => folderClockAhead(path)),
    [Symbol.asyncDispose]: async () => {},
  };
}

async function refuseMissing(path: string): Promise<void> {
  const found = await stat(path).catch((error: unknown) => {
    if (systemErrorCode(error) === "ENOENT") return undefined;
    throw fileError("open the repository", path, error);
  });
  if (found?.isDirectory() === true) return;
  const problem = found === undefined ? `there is no folder ${path}` : `${path} is not a folder`;
  const hint = "check the path, and that its disk is mounted; create the folder of a new repository yourself";
  throw new StackferryError("usage", problem, { hint });
}

/** Reads and writes would follow a link out of the repository. */
async function refuseLinks(root: string, name: string): Promise<void> {
  const folders = name.split("/").slice(0, -1);
  for (const [index] of folders.entries()) {
    const folder = join(root, ...folders.slice(0, index + 1));
    const found = await lstat(folder).catch(() => undefined);
    if (found === undefined) return;
    if (!found.isSymbolicLink()) continue;
    throw new StackferryError("usage", `${folder} is a symbolic link, and a stack's folder must not be one`, {
      hint: "put a real folder there, or name the folder that it leads to as the repository",
    });
  }
}

async function withFolder(target: string): Promise<string> {
  await makePrivateFolder(dirname(target));
  return target;
}

async function copyChecked(from: string, target: string, signal?: AbortSignal): Promise<void> {
  const checkCopy = async (copy: string): Promise<void> => {
    const [sent, arrived] = await Promise.all([digestFile(from, signal), digestFile(copy, signal)]);
    if (sent.sha256 === arrived.sha256) return;
    throw new StackferryError("archive-io", `${target} was not stored as it was sent`, {
      hint: "the disk may be failing; check it and run again",
    });
  };
  await writeAtomically(target, chunksOf(from, signal), { check: checkCopy });
}

/** Opens the file at the first chunk, so that no stream stays open if the target cannot be written. */
async function* chunksOf(path: string, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
  yield* createReadStream(path, signal === undefined ? {} : { signal });
}

/** Excludes `lost+found`, which only root can read, and `.snapshot` of a network share. */
const STACK_FOLDER = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;

async function listBelow(root: string, prefix: string, most: number): Promise<StoredFile[]> {
  const names: string[] = [];
  let seen = 0;
  const visit = async (folder: string): Promise<void> => {
    const entries = await readdir(join(root, folder), { withFileTypes: true }).catch((error: unknown) => {
      // A prefix can have no folder, and another program can remove a folder during the listing.
      if (folder !== "" && systemErrorCode(error) === "ENOENT") return [];
      throw fileError("list", join(root, folder), error);
    });
    seen += entries.length;
    if (seen > most) throw endlessListError(join(root, prefix), most);
    for (const entry of entries) {
      const name = `${folder}${entry.name}`;
      if (entry.isDirectory()) {
        const below = `${name}/`;
        if (STACK_FOLDER.test(entry.name) && (below.startsWith(prefix) || prefix.startsWith(below))) await visit(below);
      } else if (entry.isFile() && name.startsWith(prefix)) names.push(name);
    }
  };
  await visit("");
  const files = await Promise.all(names.map((name) => storedFile(root, name)));
  return files.flat().toSorted((left, right) => (left.name < right.name ? -1 : 1));
}

async function storedFile(root: string, name: string): Promise<StoredFile[]> {
  try {
    const { size, mtimeMs } = await stat(join(root, name));
    return [{ name, bytes: size, modifiedAt: mtimeMs }];
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return [];
    throw fileError("list", join(root, name), error);
  }
}

/** Returns undefined if there is no file; an empty text for a file that is too large or not regular. */
async function readSmallFile(path: string): Promise<string | undefined> {
  try {
    return await readRegularFile(path);
  } catch (error) {
    if (error instanceof NotAFileError) return "";
    if (systemErrorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** Returns how many milliseconds this machine's clock is ahead of the folder's clock. */
async function folderClockAhead(folder: string): Promise<number> {
  const probe = siblingPath(join(folder, "clock"), "part");
  try {
    await writeNewFile(probe, "");
    return Date.now() - (await stat(probe)).mtimeMs;
  } catch {
    // A later write reports the error, such as a read-only folder.
    return 0;
  } finally {
    await rm(probe, { force: true }).catch(() => {});
  }
}
