import type { KindName } from "../../core/records/record.ts";
import { sha256 } from "../manifest/digest.ts";

/** The manifest's own path. */
export const MANIFEST_PATH = "manifest.json";

/** What a kind may be called: it is a folder's name. */
export const KIND_PATTERN = /^[a-z][a-z0-9-]{0,63}$/;

/** The longest encoded id that is used as it is, in bytes; file systems take 255 with everything. */
const MAX_BYTES = 200;

/** How much of an over-long encoded id still stands in front of its hash, so that people recognise it. */
const KEPT_BYTES = 100;

const UNSAFE = /[^a-z0-9_.-]/gu;
/** A leading dot hides a file (and `.` and `..` are folders); Windows reserves the device names, whatever the extension. */
const UNSAFE_START = /^(?:\.|(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?=\.|$))/;

/**
 * Where a record is kept: `<kind>/<id>.json`. Everything in the id but `a-z 0-9 _ . -` is percent-encoded in lower case,
 * capitals too, so that no two ids share a file where the file system folds case or Unicode forms. An id that is empty,
 * over 200 bytes once encoded, or not well-formed Unicode ends in `%-` and the hash of its JSON form: the manifest has the
 * id itself, and two ids never give one path.
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
