import { constants, type Dirent } from "node:fs";
import { lstat, mkdir, open, opendir, readFile, readdir, rename, rm, rmdir, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import { StackferryError } from "../core/errors.ts";
import { isJsonObject } from "../core/json.ts";
import { ARCHIVE_FORMAT } from "../core/manifest.ts";
import {
  PRIVATE_FOLDER_MODE,
  makePrivateFolder,
  siblingPath,
  syncDirectory,
  writeNewFile,
} from "../files/atomic-write.ts";
import { fileError, systemErrorCode } from "../files/errors.ts";
import { readRange } from "../files/regular-file.ts";
import { type EntrySink, type EntrySource, KIND_NAME_PATTERN, MANIFEST_PATH } from "./entry.ts";
import { damagedArchiveError, safeForMessage } from "./errors.ts";
import { archiveLimits, manifestBounds, type ArchiveLimits } from "./limits.ts";
import { decodeJson } from "./record.ts";

export async function createFolderSink(path: string): Promise<EntrySink> {
  const staging = siblingPath(path, "part");
  await mkdir(staging, { mode: PRIVATE_FOLDER_MODE });
  const files: string[] = [];
  const folders = new Set([staging]);
  let size = 0;
  return {
    async write(name, bytes) {
      const folder = join(staging, dirname(name));
      if (!folders.has(folder)) await mkdir(folder, { mode: PRIVATE_FOLDER_MODE });
      folders.add(folder);
      await writeNewFile(join(staging, name), bytes);
      files.push(name);
      size += bytes.length;
    },
    async finish() {
      for (const folder of folders) await syncDirectory(folder);
      const isMoved = async (): Promise<boolean> => (await entryTypeAt(staging)) === "nothing";
      await retryIfReplaced(path, () => moveIntoPlace({ path: staging, files }, path), isMoved);
      return size;
    },
    discard: () => rm(staging, { recursive: true, force: true }),
  };
}

const MAX_TRIES = 20;
const PAUSE_MS = 20;

/**
 * Calls `use` again if it fails and another run has replaced the folder at `path`.
 * @param isDone tells whether the failed `use` itself has replaced the folder
 */
export async function retryIfReplaced<Result>(
  path: string,
  use: () => Promise<Result>,
  isDone = async (): Promise<boolean> => false,
): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    const before = await identityOf(path);
    try {
      return await use();
    } catch (error) {
      if (tries === MAX_TRIES || (await identityOf(path)) === before || (await isDone())) throw error;
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

interface StagedFolder {
  readonly path: string;
  readonly files: readonly string[];
}

/** Updates a folder with foreign names, such as `.git`, in place. */
async function moveIntoPlace(staged: StagedFolder, target: string): Promise<void> {
  const existing = (await entryTypeAt(target)) === "nothing" ? undefined : await inspectExistingFolder(target);
  if (existing === undefined) await rename(staged.path, target);
  else if (existing.hasForeignNames) await updateInPlace(staged, target, existing);
  else await swap(staged.path, target);
  await syncDirectory(dirname(resolve(target)));
}

async function swap(staged: string, target: string): Promise<void> {
  const old = siblingPath(target, "old");
  await rename(target, old);
  try {
    await rename(staged, target);
  } catch (error) {
    // Another run has moved its archive to `target` meanwhile, and that archive stays.
    if (["ENOTEMPTY", "EEXIST"].includes(systemErrorCode(error) ?? "")) await rm(old, { recursive: true, force: true });
    else await rename(old, target);
    throw error;
  }
  await rm(old, { recursive: true, force: true });
}

async function updateInPlace({ path, files }: StagedFolder, target: string, existing: ExistingFolder): Promise<void> {
  for (const folder of foldersOf(files)) await makePrivateFolder(join(target, folder));
  // The manifest is the last of `files`, so no reader takes a half-replaced archive for complete.
  for (const file of files) await rename(join(path, file), join(target, file));
  const current = new Set(files);
  for (const file of existing.records) if (!current.has(file)) await rm(join(target, file), { force: true });
  const folders = foldersOf(files);
  for (const folder of foldersOf(existing.records)) {
    // `rmdir` fails for a folder that still contains another program's dot file.
    if (!folders.has(folder)) await rmdir(join(target, folder)).catch(() => {});
    else await syncDirectory(join(target, folder));
  }
  await syncDirectory(target);
  await rm(path, { recursive: true, force: true });
}

function foldersOf(files: readonly string[]): Set<string> {
  return new Set(files.filter((file) => file !== MANIFEST_PATH).map((file) => dirname(file)));
}

/** @throws StackferryError `usage` for a link or a device, which the final rename would replace */
export async function entryTypeAt(path: string): Promise<"nothing" | "file" | "folder"> {
  try {
    const stats = await lstat(path);
    if (stats.isFile()) return "file";
    if (stats.isDirectory()) return "folder";
  } catch (error) {
    // ENOTDIR: a parent is a file. The later write reports the error.
    if (["ENOENT", "ENOTDIR"].includes(systemErrorCode(error) ?? "")) return "nothing";
    throw error;
  }
  throw new StackferryError("usage", `${path} is a link or a device; an archive would replace it`, {
    hint: "name the file or folder itself",
  });
}

interface ExistingFolder {
  readonly records: readonly string[];
  /** Names that begin with a dot, such as `.git`, belong to other programs. */
  readonly hasForeignNames: boolean;
}

/** @throws StackferryError `usage` for a folder with other files: an export must not delete files of other programs */
export async function inspectExistingFolder(path: string): Promise<ExistingFolder> {
  const names = await readdir(path, { withFileTypes: true });
  if (names.length === 0) return { records: [], hasForeignNames: false };
  if (!(await hasOurManifest(path))) throw notEmptyError(path, `has no ${MANIFEST_PATH} that stackferry wrote`);
  const records: string[] = [];
  let hasForeignNames = false;
  for (const name of names) {
    if (name.name.startsWith(".")) hasForeignNames = true;
    else if (name.isDirectory() && KIND_NAME_PATTERN.test(name.name)) {
      const ofKind = await inspectKindFolder(path, name.name);
      records.push(...ofKind.records);
      hasForeignNames ||= ofKind.hasForeignNames;
    } else if (name.name !== MANIFEST_PATH) throw notEmptyError(path, `also holds ${safeForMessage(name.name)}`);
  }
  return { records, hasForeignNames };
}

async function inspectKindFolder(path: string, kind: string): Promise<ExistingFolder> {
  const names = await readdir(join(path, kind), { withFileTypes: true });
  const visible = names.filter(({ name }) => !name.startsWith("."));
  const stray = visible.find((name) => !name.isFile() || !name.name.endsWith(".json"));
  if (stray !== undefined) throw notEmptyError(path, `also holds ${safeForMessage(`${kind}/${stray.name}`)}`);
  return { records: visible.map(({ name }) => `${kind}/${name}`), hasForeignNames: visible.length < names.length };
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

/** With these flags, `open` refuses a link and does not wait for a FIFO. Windows lacks the last two. */
const READ_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

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
    if (!dirent.isFile()) throw damagedArchiveError(`${safeForMessage(name)} is not a regular file`);
    if (files.size >= limits.maxEntries)
      throw damagedArchiveError(`the folder has more than ${limits.maxEntries} files`);
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
    if (!stats.isFile()) throw damagedArchiveError(`${safeForMessage(name)} is not a regular file`);
    if (stats.size > maxBytes) throw damagedArchiveError(`${safeForMessage(name)} is over ${maxBytes} bytes`);
    const bytes = await readRange(handle, 0, stats.size);
    if (bytes === undefined) throw damagedArchiveError(`${safeForMessage(name)} was cut short while it was read`);
    return bytes;
  } catch (error) {
    if (systemErrorCode(error) === "ELOOP") throw damagedArchiveError(`${safeForMessage(name)} is a link`, error);
    if (systemErrorCode(error) === "ENOENT") throw damagedArchiveError(`${safeForMessage(name)} is missing`, error);
    throw fileError("read", path, error);
  }
}
