import { constants } from "node:fs";
import type { Dirent } from "node:fs";
import { open, opendir } from "node:fs/promises";
import { join } from "node:path";
import { fileError, systemCode } from "../../files/errors.ts";
import { readRange } from "../../files/regular-file.ts";
import type { EntrySource } from "../container.ts";
import { damagedArchive, printable } from "../errors.ts";
import type { ArchiveLimits } from "../limits.ts";

/** Flags that never follow a link, and never block if there is a FIFO instead of a file. Windows has neither flag. */
const READ_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Opens an archive in its folder form. Names that begin with a dot (`.git`) are ignored. No handle stays open. */
export async function openFolder(path: string, limits: ArchiveLimits): Promise<EntrySource> {
  try {
    const files = await listFiles(path, limits);
    return {
      size: undefined,
      files,
      read: (name, maxBytes) => readFolderFile(path, name, maxBytes),
      [Symbol.asyncDispose]: async () => {},
    };
  } catch (error) {
    throw fileError("read the archive", path, error);
  }
}

async function listFiles(root: string, limits: ArchiveLimits): Promise<ReadonlyMap<string, Record<string, never>>> {
  const files = new Map<string, Record<string, never>>();
  const add = (name: string, dirent: Dirent): void => {
    if (!dirent.isFile()) throw damagedArchive(`${printable(name)} is not a regular file`);
    if (files.size >= limits.maxEntries)
      throw damagedArchive(`the folder has more than ${String(limits.maxEntries)} files`);
    files.set(name, {});
  };
  for await (const dirent of visibleEntries(root)) {
    if (!dirent.isDirectory()) {
      add(dirent.name, dirent);
      continue;
    }
    for await (const inner of visibleEntries(join(root, dirent.name))) add(`${dirent.name}/${inner.name}`, inner);
  }
  return files;
}

async function* visibleEntries(path: string): AsyncGenerator<Dirent> {
  for await (const dirent of await opendir(path)) if (!dirent.name.startsWith(".")) yield dirent;
}

async function readFolderFile(root: string, name: string, maxBytes: number): Promise<Uint8Array> {
  const path = join(root, name);
  try {
    await using handle = await open(path, READ_FLAGS);
    const stats = await handle.stat();
    if (!stats.isFile()) throw damagedArchive(`${printable(name)} is not a regular file`);
    if (stats.size > maxBytes) throw damagedArchive(`${printable(name)} is over ${String(maxBytes)} bytes`);
    const bytes = await readRange(handle, 0, stats.size);
    if (bytes === undefined) throw damagedArchive(`${printable(name)} was cut short while it was read`);
    return bytes;
  } catch (error) {
    if (systemCode(error) === "ELOOP") throw damagedArchive(`${printable(name)} is a link`, error);
    if (systemCode(error) === "ENOENT") throw damagedArchive(`${printable(name)} is missing`, error);
    throw fileError("read", path, error);
  }
}
