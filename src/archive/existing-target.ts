import { lstat, readFile, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { StackferryError } from "../core/errors.ts";
import { isJsonObject } from "../core/json.ts";
import { ARCHIVE_FORMAT } from "../core/manifest.ts";
import { systemErrorCode } from "../files/errors.ts";
import { safeForMessage } from "./errors.ts";
import { archiveLimits, manifestBounds } from "./limits.ts";
import { decodeJson } from "./record.ts";
import { KIND_NAME_PATTERN, MANIFEST_PATH } from "./entry-path.ts";

/**
 * Returns the kind of entry at the path to which an archive is to be written, without following a link.
 * @throws StackferryError `usage` for a link or a device: the final rename would replace the link or device itself
 */
export async function entryTypeAt(path: string): Promise<"nothing" | "file" | "folder"> {
  try {
    const stats = await lstat(path);
    if (stats.isFile()) return "file";
    if (stats.isDirectory()) return "folder";
  } catch (error) {
    // ENOTDIR: a file is where the path needs a folder, so nothing is at the path. The write reports the error later.
    if (["ENOENT", "ENOTDIR"].includes(systemErrorCode(error) ?? "")) return "nothing";
    throw error;
  }
  throw new StackferryError("usage", `${path} is a link or a device; an archive would replace it`, {
    hint: "name the file or folder itself",
  });
}

export interface ExistingFolder {
  /** The record files of the existing archive, as `<kind>/<name>.json`. */
  readonly records: readonly string[];
  /** True if the folder contains names that begin with a dot, such as `.git`: they are not ours and must stay. */
  readonly hasForeignNames: boolean;
}

/**
 * Inspects a folder before it is replaced. Throws `usage` if the folder has anything but an archive of ours and names that begin
 * with a dot: replacing the folder would delete somebody's files.
 */
export async function inspectExistingFolder(path: string): Promise<ExistingFolder> {
  const names = await readdir(path, { withFileTypes: true });
  if (names.length === 0) return { records: [], hasForeignNames: false };
  if (!(await hasOurManifest(path))) throw notEmptyError(path, `has no ${MANIFEST_PATH} that stackferry wrote`);
  const records: string[] = [];
  let keeps = false;
  for (const name of names) {
    if (name.name.startsWith(".")) keeps = true;
    else if (name.isDirectory() && KIND_NAME_PATTERN.test(name.name))
      records.push(...(await recordsIn(path, name.name)));
    else if (name.name !== MANIFEST_PATH) throw notEmptyError(path, `also holds ${safeForMessage(name.name)}`);
  }
  return { records, hasForeignNames: keeps };
}

/** Maximum number of attempts to use a folder that other runs keep replacing, and milliseconds between two attempts. */
const MAX_TRIES = 20;
const PAUSE_MS = 20;

/** Uses a folder, or a path without one. Tries again if that fails because another run replaces the folder at the same time. */
export async function retryIfReplaced<Result>(path: string, use: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    const before = await identityOf(path);
    try {
      return await use();
    } catch (error) {
      if (tries === MAX_TRIES || (await identityOf(path)) === before) throw error;
      await setTimeout(PAUSE_MS);
    }
  }
}

async function identityOf(path: string): Promise<string> {
  return await lstat(path).then(
    ({ ino, birthtimeMs }) => `${ino} ${birthtimeMs}`,
    () => "nothing",
  );
}

async function recordsIn(path: string, kind: string): Promise<string[]> {
  const names = await readdir(join(path, kind), { withFileTypes: true });
  const visible = names.filter(({ name }) => !name.startsWith("."));
  const stray = visible.find((name) => !name.isFile() || !name.name.endsWith(".json"));
  if (stray !== undefined) throw notEmptyError(path, `also holds ${safeForMessage(`${kind}/${stray.name}`)}`);
  return visible.map(({ name }) => `${kind}/${name}`);
}

async function hasOurManifest(path: string): Promise<boolean> {
  const manifest = join(path, MANIFEST_PATH);
  const stats = await stat(manifest).catch(() => undefined);
  if (stats === undefined || !stats.isFile() || stats.size > archiveLimits.maxManifestBytes) return false;
  const decoded = decodeJson(await readFile(manifest), manifestBounds(archiveLimits));
  return decoded.ok && isJsonObject(decoded.value) && decoded.value["format"] === ARCHIVE_FORMAT;
}

function notEmptyError(path: string, why: string): StackferryError {
  return new StackferryError("usage", `the folder ${path} is not empty and ${why}`, {
    hint: "choose a new or empty folder, or one that contains only an archive",
  });
}
