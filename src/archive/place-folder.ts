import { mkdir, rename, rm, rmdir } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { existingFolder } from "./existing-folder.ts";
import type { ExistingFolder } from "./existing-folder.ts";
import { MANIFEST_PATH } from "./entry-path.ts";
import { syncDirectory } from "./sync-directory.ts";
import { targetPlace } from "./target-place.ts";
import { temporaryPath } from "./temporary-path.ts";

/** A finished folder that waits beside its final place. */
export interface StagedFolder {
  readonly path: string;
  /** Its files, the manifest last. */
  readonly files: readonly string[];
}

/**
 * Moves a staged folder to where it belongs. An archive that is there already is replaced as a whole, unless it holds
 * something to keep (`.git`): then file by file, the manifest last, so that a reader never takes half of it for a whole.
 */
export async function placeFolder(staged: StagedFolder, target: string): Promise<void> {
  const existing = (await targetPlace(target)) === "nothing" ? undefined : await existingFolder(target);
  if (existing === undefined) await rename(staged.path, target);
  else if (existing.keeps) await updateInPlace(staged, target, existing);
  else await swap(staged.path, target);
  await syncDirectory(dirname(resolve(target)));
}

async function swap(staged: string, target: string): Promise<void> {
  const old = temporaryPath(target, "old");
  await rename(target, old);
  try {
    await rename(staged, target);
  } catch (error) {
    await rename(old, target);
    throw error;
  }
  await rm(old, { recursive: true, force: true });
}

async function updateInPlace({ path, files }: StagedFolder, target: string, existing: ExistingFolder): Promise<void> {
  for (const folder of foldersOf(files)) await mkdir(join(target, folder), { recursive: true, mode: 0o700 });
  for (const file of files) await rename(join(path, file), join(target, file));
  const current = new Set(files);
  for (const file of existing.records) if (!current.has(file)) await rm(join(target, file), { force: true });
  const folders = foldersOf(files);
  for (const folder of foldersOf(existing.records)) {
    // A folder may keep a dot file of somebody's; then it stays.
    if (!folders.has(folder)) await rmdir(join(target, folder)).catch(() => {});
    else await syncDirectory(join(target, folder));
  }
  await syncDirectory(target);
  await rm(path, { recursive: true, force: true });
}

function foldersOf(files: readonly string[]): Set<string> {
  return new Set(files.filter((file) => file !== MANIFEST_PATH).map((file) => dirname(file)));
}
