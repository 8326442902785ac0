import type { KindName } from "../../core/records/record.ts";
import { sha256 } from "../manifest/digest.ts";

export const MANIFEST_PATH = "manifest.json";

/** The valid names of a kind, which is also a folder's name. */
export const KIND_PATTERN = /^[a-z][a-z0-9-]{0,63}$/;

/** The longest encoded id that is used as it is, in bytes; file systems allow 255 for the whole name. */
const MAX_BYTES = 200;

/** The part of a long encoded id that stays readable before its hash, in bytes. */
const KEPT_BYTES = 100;

const UNSAFE = /[^a-z0-9_.-]/gu;
/** A leading dot hides a file (and `.` and `..` are folders); Windows reserves the device names, whatever the extension. */
const UNSAFE_START = /^(?:\.|(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?=\.|$))/;

/**
 * Returns the path of a record: `<kind>/<id>.json`. Every character of the id except `a-z 0-9 _ . -` is percent-encoded in lower
 * case, capitals too, so that no two ids share a file on a file system that folds case or Unicode forms. An id that is empty, over
 * 200 bytes once encoded, or not well-formed Unicode ends in `%-` and the hash of its JSON form: the manifest has the id itself,
 * and two ids never give one path.
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
  const digest = sha256(Buffer.from(JSON.stringify(id), "utf8"));
  return `${encoded.slice(0, KEPT_BYTES)}%-${digest}`;
}

function percentEncode(character: string): string {
  return [...Buffer.from(character, "utf8")].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join("");
}
