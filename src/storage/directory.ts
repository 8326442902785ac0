import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { copyFile, mkdir, readFile, readdir, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { StackferryError } from "../core/errors.ts";
import type { Repository, StoredFile } from "../core/ports.ts";
import { folderSwap } from "./directory-swap.ts";
import { checkedName, notStored, repositoryIoError, systemCode } from "./errors.ts";
import { copyFileDurably } from "./local-files.ts";

/** `.<name>.<16 hex digits>.part`: what is being written. */
const PART = /^\..+\.[0-9a-f]{16}\.part$/;

/**
 * A folder of this machine as a repository. The folder itself must exist: creating it would fill the disk below a mount point
 * whose disk is missing.
 * @throws StackferryError `usage` where there is no such folder
 */
export async function folderRepository(path: string, now: () => number = Date.now): Promise<Repository> {
  await refuseMissing(path);
  const fullPath = (name: string): string => join(path, checkedName(name));
  const attempt = async <Result>(doing: string, name: string, act: () => Promise<Result>): Promise<Result> => {
    try {
      return await act();
    } catch (error) {
      if (doing === "read" && systemCode(error) === "ENOENT") throw notStored(name, path, error);
      throw repositoryIoError(doing, join(path, name), error);
    }
  };
  return {
    address: path,
    list: (prefix) => attempt("list", prefix, () => listBelow(path, prefix)),
    fetch: (name, localPath) =>
      attempt("read", name, async () => {
        await copyFile(fullPath(name), localPath, constants.COPYFILE_EXCL);
      }),
    put: (localPath, name, signal) =>
      attempt("write", name, async () => {
        const target = await prepared(fullPath(name));
        await copyFileDurably(localPath, partOf(target), target, signal);
      }),
    readText: (name) =>
      attempt("read", name, async () => {
        try {
          const [text, { mtimeMs }] = await Promise.all([readFile(fullPath(name), "utf8"), stat(fullPath(name))]);
          return { text, version: text, modifiedAt: mtimeMs };
        } catch (error) {
          if (systemCode(error) === "ENOENT") return undefined;
          throw error;
        }
      }),
    writeText: (name, text) =>
      attempt("write", name, async () => {
        const target = await prepared(fullPath(name));
        const temporary = partOf(target);
        await folderSwap({ path: temporary, text, expected: undefined, temporary: partOf(target), now });
        await rename(temporary, target);
      }),
    swap: (name, text, expected) =>
      attempt("write", name, async () => {
        const target = await prepared(fullPath(name));
        return await folderSwap({ path: target, text, expected, temporary: partOf(target), now });
      }),
    remove: (name) => attempt("remove", name, () => rm(fullPath(name), { force: true })),
    sweep: (prefix) => attempt("clean", prefix, () => sweepParts(join(path, dirname(`${prefix}.`)))),
    [Symbol.asyncDispose]: async () => {},
  };
}

async function refuseMissing(path: string): Promise<void> {
  const found = await stat(path).catch((error: unknown) => {
    if (systemCode(error) === "ENOENT") return undefined;
    throw repositoryIoError("open the repository", path, error);
  });
  if (found?.isDirectory() === true) return;
  const problem = found === undefined ? `there is no folder ${path}` : `${path} is not a folder`;
  const hint = "create it first (it is not made by itself, in case its disk is just not mounted)";
  throw new StackferryError("usage", problem, { hint });
}

async function prepared(target: string): Promise<string> {
  await mkdir(dirname(target), { recursive: true, mode: 0o700 });
  return target;
}

function partOf(target: string): string {
  return join(dirname(target), `.${basename(target)}.${randomBytes(8).toString("hex")}.part`);
}

/** Regular files only: nothing is reached through a link. */
async function listBelow(root: string, prefix: string): Promise<StoredFile[]> {
  const files: StoredFile[] = [];
  const visit = async (folder: string): Promise<void> => {
    const entries = await readdir(join(root, folder), { withFileTypes: true }).catch((error: unknown) => {
      // Nothing stored below a prefix is an answer; a stack folder may also vanish while it is listed.
      if (folder !== "" && systemCode(error) === "ENOENT") return [];
      throw error;
    });
    for (const entry of entries) {
      const name = `${folder}${entry.name}`;
      if (entry.isDirectory()) {
        const below = `${name}/`;
        if (below.startsWith(prefix) || prefix.startsWith(below)) await visit(below);
      } else if (entry.isFile() && name.startsWith(prefix) && !PART.test(entry.name)) {
        const found = await stat(join(root, name)).catch(() => undefined);
        if (found !== undefined) files.push({ name, bytes: found.size, modifiedAt: found.mtimeMs });
      }
    }
  };
  await visit("");
  return files.toSorted((left, right) => (left.name < right.name ? -1 : 1));
}

async function sweepParts(folder: string): Promise<number> {
  const entries = await readdir(folder).catch((error: unknown) => {
    if (systemCode(error) === "ENOENT") return [];
    throw error;
  });
  const parts = entries.filter((name) => PART.test(name));
  for (const name of parts) await rm(join(folder, name), { force: true });
  return parts.length;
}
