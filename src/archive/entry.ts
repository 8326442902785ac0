import { createHash } from "node:crypto";
import type { ManifestEntry } from "../core/manifest.ts";
import type { KindName } from "../core/records/record.ts";

export const MANIFEST_PATH = "manifest.json";

/** Matches the name of a kind, which is also the name of the kind's folder in an archive. */
export const KIND_NAME_PATTERN = /^[a-z][a-z0-9-]{0,63}$/;

/** Maximum length, in bytes, of an encoded id that is kept whole. File systems allow 255 bytes for a file name. */
const MAX_BYTES = 200;

/** Number of bytes of a longer encoded id that are kept as readable text before the hash. */
const KEPT_BYTES = 100;

const UNSAFE = /[^a-z0-9_.-]/gu;
/** A leading dot hides a file, and `.` and `..` are folders. Windows reserves names of devices, such as `con` and `con.txt`. */
const UNSAFE_START = /^(?:\.|(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?=\.|$))/;

/**
 * Returns the path of a record's file, `<kind>/<file name>.json`. The file name is the encoded id (docs/archive-format.md#layout).
 * Two ids never share a file, not even on a file system that ignores case or Unicode forms.
 */
export function entryPath(kind: KindName, id: string): string {
  return `${kind}/${fileName(id)}.json`;
}

function fileName(id: string): string {
  const encoded = id
    .replaceAll(UNSAFE, percentEncode)
    .replace(UNSAFE_START, (start) => percentEncode(start.charAt(0)) + start.slice(1));
  const fits = encoded !== "" && encoded.length <= MAX_BYTES;
  if (fits && !/\p{Surrogate}/u.test(id)) return encoded;
  return `${encoded.slice(0, KEPT_BYTES)}%-${sha256(JSON.stringify(id))}`;
}

function percentEncode(character: string): string {
  return [...Buffer.from(character, "utf8")].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join("");
}

/** Returns the hash in hex. A text is hashed as UTF-8. */
export function sha256(content: Uint8Array | string): string {
  return createHash("sha256").update(content).digest("hex");
}

/** Returns the SHA-256 in hex over the sorted lines `path sha256`, each ended by LF. The order of the entries has no effect. */
export function contentDigest(entries: Iterable<Pick<ManifestEntry, "path" | "sha256">>): string {
  const lines = Array.from(entries, ({ path, sha256 }) => `${path} ${sha256}\n`).sort();
  return sha256(lines.join(""));
}

export interface EntrySource extends AsyncDisposable {
  /** Size of the archive on disk, in bytes; undefined for a folder. */
  readonly size: number | undefined;
  /** The files by path in the archive. `uncompressedSize` is in bytes; a folder does not state the sizes of files. */
  readonly files: ReadonlyMap<string, { readonly uncompressedSize?: number }>;
  /**
   * Returns the unpacked content of a file.
   * @throws StackferryError `archive-damaged` if the file is missing, damaged or larger than `maxBytes`
   */
  read(path: string, maxBytes: number): Promise<Uint8Array>;
}

/** Writes an archive's files one after another. Nothing is visible at the final path before `finish`. */
export interface EntrySink {
  /** Writes one file. The caller must not change the bytes afterwards. A failure may be reported only by a later call. */
  write(path: string, bytes: Uint8Array): Promise<void>;
  /** Flushes the archive to disk and moves the archive to its final path. Returns the archive's size on disk, in bytes. */
  finish(): Promise<number>;
  /** Removes the files of an unfinished archive. Safe to call at any time, and twice. */
  discard(): Promise<void>;
}
