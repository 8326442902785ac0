import type { KeyObject } from "node:crypto";
import { stat } from "node:fs/promises";
import type { Manifest, ManifestEntry } from "../domain/manifest.ts";
import type { ArchiveReader } from "../domain/ports.ts";
import { archiveIoError, closedArchive, damagedArchive, unknownArchive } from "./archive-errors.ts";
import type { EntrySource } from "./entry-source.ts";
import { MANIFEST_PATH } from "./entry-path.ts";
import { archiveLimits } from "./limits.ts";
import type { ArchiveLimits } from "./limits.ts";
import type { KeySource } from "./archive-keys.ts";
import { openFile } from "./open-file.ts";
import { openFolder } from "./open-folder.ts";
import { printable } from "./printable.ts";
import { readManifest } from "./read-manifest.ts";
import type { ReadManifest } from "./read-manifest.ts";
import { readRecord } from "./read-record.ts";
import { checkSignature, requireEd25519 } from "./signature.ts";
import { unpackBySize, unpackFileSync } from "./unpack-file.ts";
import type { KeptFile, Unpack } from "./unpack-file.ts";

/** How an archive is opened. The limits replace those of the format. */
export interface ArchiveReadOptions extends Partial<ArchiveLimits> {
  /** Asked for only where the archive is encrypted. */
  readonly keys?: KeySource;
  /** Ed25519 public key: refuse the archive unless the file `<path>.sig` is this key's signature of it. */
  readonly signer?: KeyObject | undefined;
  /** How files are unpacked that need not be there at once, for instance in another thread. Unless told, by their size. */
  readonly unpack?: Unpack;
}

const noKeys: KeySource = () => Promise.resolve({ identities: [], passphrases: [] });

/**
 * Opens an archive, zip or folder, encrypted or not, and checks everything that can be checked without reading the records: the container,
 * the manifest, that the two name the same files, and the signature if one is asked for. Nothing of its content is written to
 * disk (what is encrypted and large passes through a nameless temporary file) and nothing inside is followed anywhere.
 * @throws StackferryError `archive-io` (no such file, no permission), `archive-unknown` (not an archive of ours, or of a
 * later format version), `archive-damaged` (cut, altered or forged, not signed, encrypted for somebody else), `config`
 * (encrypted, and no key given).
 */
export async function openArchive(path: string, options: ArchiveReadOptions = {}): Promise<ArchiveReader> {
  const { keys = noKeys, signer, unpack = unpackBySize(), ...limits } = options;
  if (signer !== undefined) requireEd25519(signer, "public");
  const bounds = { ...archiveLimits, ...limits };
  const source = await openSource(path, bounds, keys);
  try {
    if (!source.files.has(MANIFEST_PATH)) throw unknownArchive(`${path} has no ${MANIFEST_PATH}`);
    const read = await readManifest(source.read(MANIFEST_PATH, bounds.maxManifestBytes), bounds);
    checkFiles(source.files, read.manifest);
    if (signer !== undefined) await checkSignature(path, signer, read.manifest.contentDigest, read.sha256);
    return reader(path, { source, unpack }, read, bounds);
  } catch (error) {
    await source[Symbol.asyncDispose]();
    throw archiveIoError("read the archive", path, error);
  }
}

async function openSource(path: string, limits: ArchiveLimits, keys: KeySource): Promise<EntrySource> {
  try {
    const stats = await stat(path);
    if (stats.isDirectory()) return await openFolder(path, limits);
    if (!stats.isFile()) throw unknownArchive(`${path} is neither a file nor a folder`);
    return await openFile(path, limits, keys);
  } catch (error) {
    throw archiveIoError("read the archive", path, error);
  }
}

function checkFiles(files: EntrySource["files"], manifest: Manifest): void {
  const named = new Set([MANIFEST_PATH]);
  for (const { path, bytes } of manifest.entries) {
    const file = files.get(path);
    if (file === undefined) throw damagedArchive(`${path} is in the manifest but not in the archive`);
    if (file.uncompressedSize !== undefined && file.uncompressedSize !== bytes) {
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
  { source, unpack }: { readonly source: EntrySource; readonly unpack: Unpack },
  { manifest, formatVersion, bytes: manifestBytes }: ReadManifest,
  limits: ArchiveLimits,
): ArchiveReader {
  const { contentDigest, entries } = manifest;
  const bytes = source.size ?? entries.reduce((sum, entry) => sum + entry.bytes, manifestBytes);
  let isClosed = false;
  const kept = (entry: ManifestEntry): KeptFile => {
    if (isClosed) throw closedArchive(path);
    return source.read(entry.path, entry.bytes);
  };
  const prepare: ArchiveReader["prepare"] = async (entry) => {
    const unpacked = await unpack(kept(entry));
    return () => unpacked((file) => readRecord(entry, file, limits.maxDepth));
  };
  const read: ArchiveReader["read"] = async (entry) => (await prepare(entry))();
  return {
    summary: { path, formatVersion, contentDigest, bytes },
    manifest,
    read,
    prepare,
    readAgain: (entry) => readRecord(entry, unpackFileSync(kept(entry)), limits.maxDepth),
    async *records() {
      for (const entry of entries) yield await read(entry);
    },
    [Symbol.asyncDispose]: () => {
      isClosed = true;
      return source[Symbol.asyncDispose]();
    },
  };
}
