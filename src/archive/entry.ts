import { createHash } from "node:crypto";
import type { ManifestEntry } from "../core/manifest.ts";
import type { KindName } from "../core/records/record.ts";

export const MANIFEST_PATH = "manifest.json";

export const KIND_NAME_PATTERN = /^[a-z][a-z0-9-]{0,63}$/;

/** In bytes. File systems allow 255 bytes for a file name. */
const MAX_BYTES = 200;

const KEPT_BYTES = 100;

const UNSAFE = /[^a-z0-9_.-]/gu;
/** A leading dot hides a file. Windows reserves names of devices, such as `con` and `con.txt`. */
const UNSAFE_START = /^(?:\.|(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?=\.|$))/;

/** Two ids never share a file, not even if a file system ignores case or Unicode forms (docs/archive-format.md#layout). */
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

export function sha256(content: Uint8Array | string): string {
  return createHash("sha256").update(content).digest("hex");
}

/** The order of the entries has no effect. */
export function contentDigest(entries: Iterable<Pick<ManifestEntry, "path" | "sha256">>): string {
  const lines = Array.from(entries, ({ path, sha256 }) => `${path} ${sha256}\n`).sort();
  return sha256(lines.join(""));
}

export interface EntrySource extends AsyncDisposable {
  /** Bytes on disk; undefined for a folder. */
  readonly size: number | undefined;
  /** `uncompressedSize` is in bytes; absent for a folder. */
  readonly files: ReadonlyMap<string, { readonly uncompressedSize?: number }>;
  /** @throws StackferryError `archive-damaged` if the file is missing, damaged or larger than `maxBytes` */
  read(path: string, maxBytes: number): Promise<Uint8Array>;
}

/** Nothing is visible at the final path before `finish`. */
export interface EntrySink {
  /** The caller must not change the bytes afterwards. A later call can throw the error of this write. */
  write(path: string, bytes: Uint8Array): Promise<void>;
  finish(): Promise<number>;
  /** Safe to call at any time, and twice. */
  discard(): Promise<void>;
}
