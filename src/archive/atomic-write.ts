import { randomBytes } from "node:crypto";
import { lstat, open, rename, rm } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { StackferryError } from "../core/errors.ts";
import { archiveIoError, systemCode } from "./errors.ts";

/** Writes a file that only its owner can read, whole or not at all. A link at that place is replaced, never followed. */
export async function placeFile(path: string, text: string): Promise<void> {
  const temporary = temporaryPath(path, "new");
  try {
    {
      await using handle = await open(temporary, "wx", 0o600);
      await handle.writeFile(text, "utf8");
      await handle.sync();
    }
    await rename(temporary, path);
    await syncDirectory(dirname(resolve(path)));
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {});
    throw archiveIoError("write", path, error);
  }
}

/** A hidden name next to `path`, on the same file system, that nobody can foresee. */
export function temporaryPath(path: string, purpose: "new" | "old"): string {
  const target = resolve(path);
  return join(dirname(target), `.${basename(target)}.${randomBytes(8).toString("hex")}.${purpose}`);
}

/** Windows and some network file systems cannot flush a directory; there a rename is as durable as it gets. */
const UNSUPPORTED = new Set(["EISDIR", "EPERM", "EACCES", "EINVAL", "ENOTSUP", "EBADF"]);

/** Flushes a directory's entries to disk, so that a rename survives a power cut. */
export async function syncDirectory(path: string): Promise<void> {
  try {
    await using handle = await open(path, "r");
    await handle.sync();
  } catch (error) {
    if (!UNSUPPORTED.has(systemCode(error) ?? "")) throw error;
  }
}

/** What stands where an archive is to be written. */
export type TargetPlace = "nothing" | "file" | "folder";

/** Looks without following a link. Links and devices are refused (`usage`): the rename at the end would replace them. */
export async function targetPlace(path: string): Promise<TargetPlace> {
  try {
    const stats = await lstat(path);
    if (stats.isFile()) return "file";
    if (stats.isDirectory()) return "folder";
  } catch (error) {
    if (systemCode(error) === "ENOENT") return "nothing";
    throw error;
  }
  throw new StackferryError("usage", `${path} is a link or a device, which an archive would replace`, {
    hint: "name the file or folder itself",
  });
}
