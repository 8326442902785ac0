import type { KindName } from "../core/records/record.ts";
import { sha256 } from "./digest.ts";

export const MANIFEST_PATH = "manifest.json";

/** Matches a valid name of a kind; the name is also a folder's name in the archive. */
export const KIND_NAME_PATTERN = /^[a-z][a-z0-9-]{0,63}$/;

/** Maximum length, in bytes, of an encoded id that is used unchanged; file systems allow 255 bytes for the whole file name. */
const MAX_BYTES = 200;

/** Number of bytes of a long encoded id that are kept as readable text before the hash. */
const KEPT_BYTES = 100;

const UNSAFE = /[^a-z0-9_.-]/gu;
/** A leading dot hides a file, and `.` and `..` are folders. Windows reserves the device names, whatever the extension. */
const UNSAFE_START = /^(?:\.|(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?=\.|$))/;

/**
 * Returns the path of a record: `<kind>/<id>.json`. Every character of the id except `a-z 0-9 _ . -` is percent-encoded in lower
 * case, capitals included, so that no two ids share a file on a file system that folds case or Unicode forms. An id that is empty,
 * over 200 bytes once encoded, or not well-formed Unicode gets a file name that ends in `%-` and the hash of the id's JSON form.
 * The manifest has the id itself. Two ids never give the same path.
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
