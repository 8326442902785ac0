import type { KeyObject } from "node:crypto";
import { stat, type FileHandle } from "node:fs/promises";
import type { Manifest } from "../core/manifest.ts";
import type { ArchiveReader, ByteSource } from "../core/ports.ts";
import { fileError } from "../files/errors.ts";
import { openRegularFile, fileSource } from "../files/regular-file.ts";
import { decryptArchive, isEncrypted, type KeySource } from "./age.ts";
import { type EntrySource, sha256, MANIFEST_PATH } from "./entry.ts";
import { decodeRecord } from "./record.ts";
import { damagedArchiveError, safeForMessage, unknownArchiveError } from "./errors.ts";
import { openFolder } from "./folder.ts";
import { archiveLimits, type ArchiveLimits } from "./limits.ts";
import { parseManifest } from "./manifest.ts";
import { checkSignature, requireEd25519 } from "./signature.ts";

/** A given limit replaces the format's limit. */
export interface ArchiveReadOptions extends Partial<ArchiveLimits> {
  /** Called only if the archive is encrypted. */
  readonly keys?: KeySource;
  /** Ed25519 public key that must have signed the archive, in the file `<path>.sig`. */
  readonly signer?: KeyObject | undefined;
}

const noKeys: KeySource = () => Promise.resolve({ identities: [], passphrases: [] });

/**
 * Reads no record. Decrypts an archive over 32 MiB into a temporary file.
 * @throws StackferryError `archive-io`, `archive-unknown`, `archive-damaged` (also without the signer's signature), `wrong-key`,
 * `config` (no key or a malformed key), `usage` (no Ed25519 public key)
 */
export async function openArchive(path: string, options: ArchiveReadOptions = {}): Promise<ArchiveReader> {
  const { keys = noKeys, signer, ...limits } = options;
  if (signer !== undefined) requireEd25519(signer, "public");
  const bounds = { ...archiveLimits, ...limits };
  const source = await openSource(path, bounds, keys);
  try {
    if (!source.files.has(MANIFEST_PATH)) throw unknownArchiveError(`${path} has no ${MANIFEST_PATH}`);
    const bytes = await source.read(MANIFEST_PATH, bounds.maxManifestBytes);
    const manifest = parseManifest(bytes, bounds);
    checkFiles(source.files, manifest);
    if (signer !== undefined) await checkSignature(path, signer, manifest.contentDigest, sha256(bytes));
    const size = source.size ?? manifest.entries.reduce((sum, entry) => sum + entry.bytes, bytes.length);
    const { formatVersion, contentDigest } = manifest;
    const summary = { path, formatVersion, contentDigest, bytes: size };
    return {
      summary,
      manifest,
      read: async (entry) => decodeRecord(entry, await source.read(entry.path, entry.bytes), bounds),
      [Symbol.asyncDispose]: () => Promise.resolve(source[Symbol.asyncDispose]()),
    };
  } catch (error) {
    await source[Symbol.asyncDispose]();
    throw fileError("read the archive", path, error);
  }
}

async function openSource(path: string, limits: ArchiveLimits, keys: KeySource): Promise<EntrySource> {
  try {
    const stats = await stat(path);
    if (stats.isDirectory()) return await openFolder(path, limits);
    if (!stats.isFile()) throw unknownArchiveError(`${path} is neither a file nor a folder`);
    return await openFile(path, limits, keys);
  } catch (error) {
    throw fileError("read the archive", path, error);
  }
}

async function openFile(path: string, limits: ArchiveLimits, keys: KeySource): Promise<EntrySource> {
  const handle = await openRegularFile(path);
  try {
    const { size } = await handle.stat();
    if (!(await isEncrypted(path, handle, size))) return await openZipped(path, fileSource(handle, size), limits);
    const source = await openEncrypted(path, handle, size, limits, keys);
    await handle.close();
    return source;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function openEncrypted(
  path: string,
  handle: FileHandle,
  size: number,
  limits: ArchiveLimits,
  keys: KeySource,
): Promise<EntrySource> {
  const bytes = await decryptArchive(path, handle, size, await keys(), limits);
  try {
    return { ...(await openZipped(path, bytes, limits)), size };
  } catch (error) {
    await bytes.close();
    throw error;
  }
}

async function openZipped(path: string, zip: ByteSource, limits: ArchiveLimits): Promise<EntrySource> {
  // Loaded on demand: the zip reader loads slowly.
  const { openZip } = await import("./zip/source.ts");
  return openZip(path, zip, limits);
}

function checkFiles(files: EntrySource["files"], manifest: Manifest): void {
  const named = new Set([MANIFEST_PATH]);
  for (const { path, bytes } of manifest.entries) {
    const file = files.get(path);
    if (file === undefined) throw damagedArchiveError(`${path} is in the manifest but not in the archive`);
    if (file.uncompressedSize !== undefined && file.uncompressedSize !== bytes) {
      throw damagedArchiveError(`${path} does not have the size that the manifest states`);
    }
    named.add(path);
  }
  for (const path of files.keys()) {
    if (!named.has(path))
      throw damagedArchiveError(`${safeForMessage(path)} is in the archive but not in the manifest`);
  }
}
