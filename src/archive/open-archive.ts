import { stat } from "node:fs/promises";
import type { Manifest } from "../domain/manifest.ts";
import type { ArchiveReader } from "../domain/ports.ts";
import { archiveIoError, damagedArchive, unknownArchive } from "./archive-errors.ts";
import type { EntrySource } from "./entry-source.ts";
import { MANIFEST_PATH } from "./entry-path.ts";
import { archiveLimits } from "./limits.ts";
import type { ArchiveLimits } from "./limits.ts";
import { openFolder } from "./open-folder.ts";
import { openZip } from "./open-zip.ts";
import { parseManifest } from "./parse-manifest.ts";
import type { ParsedManifest } from "./parse-manifest.ts";
import { printable } from "./printable.ts";
import { readRecord } from "./read-record.ts";

/**
 * Opens an archive, zip or folder, and checks everything that can be checked without reading the records: the container,
 * the manifest, and that the two name the same files. Nothing is written to disk and nothing inside is followed anywhere.
 * @param limits replaces some of the limits.
 * @throws StackferryError `archive-io` (no such file, no permission), `archive-unknown` (not an archive of ours, or of a
 * later format version), `archive-damaged` (cut, altered or forged).
 */
export async function openArchive(path: string, limits: Partial<ArchiveLimits> = {}): Promise<ArchiveReader> {
  const bounds = { ...archiveLimits, ...limits };
  const source = await openSource(path, bounds);
  try {
    if (!source.files.has(MANIFEST_PATH)) throw unknownArchive(`${path} has no ${MANIFEST_PATH}`);
    const bytes = await source.read(MANIFEST_PATH, bounds.maxManifestBytes);
    const parsed = parseManifest(bytes, bounds);
    checkFiles(source.files, parsed.manifest);
    return reader(path, source, parsed, bytes.length, bounds);
  } catch (error) {
    await source[Symbol.asyncDispose]();
    throw archiveIoError("read the archive", path, error);
  }
}

async function openSource(path: string, limits: ArchiveLimits): Promise<EntrySource> {
  try {
    const stats = await stat(path);
    if (stats.isDirectory()) return await openFolder(path, limits);
    if (!stats.isFile()) throw unknownArchive(`${path} is neither a file nor a folder`);
    return await openZip(path, limits);
  } catch (error) {
    throw archiveIoError("read the archive", path, error);
  }
}

function checkFiles(files: EntrySource["files"], manifest: Manifest): void {
  const named = new Set([MANIFEST_PATH]);
  for (const { path, bytes } of manifest.entries) {
    const file = files.get(path);
    if (file === undefined) throw damagedArchive(`${path} is in the manifest but not in the archive`);
    if (file.bytes !== undefined && file.bytes !== bytes) {
      throw damagedArchive(`${path} does not have the size that the manifest states`);
    }
    named.add(path);
  }
  for (const path of files.keys()) {
    if (!named.has(path)) throw damagedArchive(`${printable(path)} is in the archive but not in the manifest`);
  }
}

function reader(
  path: string,
  source: EntrySource,
  { manifest, formatVersion }: ParsedManifest,
  manifestBytes: number,
  limits: ArchiveLimits,
): ArchiveReader {
  const { contentDigest, entries } = manifest;
  const bytes = source.size ?? entries.reduce((sum, entry) => sum + entry.bytes, manifestBytes);
  const read: ArchiveReader["read"] = async (entry) =>
    readRecord(entry, await source.read(entry.path, entry.bytes), limits.maxDepth);
  return {
    summary: { path, formatVersion, contentDigest, bytes },
    manifest,
    read,
    async *records() {
      for (const entry of entries) yield await read(entry);
    },
    [Symbol.asyncDispose]: () => source[Symbol.asyncDispose](),
  };
}
