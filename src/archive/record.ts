import { StackferryError } from "../core/errors.ts";
import type { JsonObject, JsonValue } from "../core/json.ts";
import { canonicalJson, isJsonObject, decodeUtf8 } from "../core/json.ts";
import type { ManifestEntry } from "../core/manifest.ts";
import type { EncodeRecord, EncodedRecord } from "../core/ports.ts";
import type { StackRecord, KindName } from "../core/records/record.ts";
import type { JsonBounds } from "../core/text/json-scan.ts";
import { describeJsonFlaw, findJsonFlaw } from "../core/text/json-scan.ts";
import { damagedArchive, printable } from "./errors.ts";
import type { ArchiveLimits } from "./limits.ts";
import { archiveLimits } from "./limits.ts";
import { createHash } from "node:crypto";

/** Creates an encoder that writes records in the archive's form. */
export function createRecordEncoder(replacing: Partial<ArchiveLimits> = {}): EncodeRecord {
  const limits = { ...archiveLimits, ...replacing };
  return (record) => encodeRecord(record, limits);
}

function encodeRecord(
  { kind, id, name, body }: StackRecord,
  { maxDepth, maxValues, maxEntryBytes }: ArchiveLimits,
): EncodedRecord {
  const unencodableError = (why: string): StackferryError => {
    const hint =
      "the stack sent this record in a form that cannot be archived; leave it out with --exclude, and please report it";
    return new StackferryError("protocol", `${printable(`${kind}/${id}`)} ${why}`, { hint });
  };
  if (!KIND_PATTERN.test(kind)) throw unencodableError("has a kind whose name cannot be a folder name");
  if (!Object.hasOwn(body, "id") || body["id"] !== id) throw unencodableError("has another id in its body");
  const json = jsonWithin(body, maxDepth);
  if (json === undefined) throw unencodableError(`nests deeper than ${maxDepth} levels`);
  if (json.length > maxEntryBytes) throw unencodableError(`is over ${maxEntryBytes} bytes`);
  // A value takes at least two characters, so the length shows that most records are within the limit.
  const flaw = json.length > 2 * maxValues ? findJsonFlaw(json, { maxDepth, maxValues }) : undefined;
  if (flaw !== undefined) throw unencodableError(describeJsonFlaw(flaw, { maxDepth, maxValues }));
  const bytes = Buffer.from(json, "utf8");
  if (bytes.length > maxEntryBytes) throw unencodableError(`is over ${maxEntryBytes} bytes`);
  return { entry: { path: entryPath(kind, id), kind, id, name, bytes: bytes.length, sha256: sha256(bytes) }, bytes };
}

function jsonWithin(body: JsonObject, maxDepth: number): string | undefined {
  try {
    return canonicalJson(body, maxDepth);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Reads a record from its file after checking that size, checksum, form and id agree with the manifest's entry. */
export function decodeRecord(entry: ManifestEntry, bytes: Uint8Array, bounds: JsonBounds): StackRecord {
  const { path, kind, id, name } = entry;
  if (bytes.length !== entry.bytes) throw damagedArchive(`${path} does not have the size that the manifest states`);
  if (sha256(bytes) !== entry.sha256) throw damagedArchive(`${path} does not match its checksum`);
  const decoded = decodeJson(bytes, bounds);
  if (!decoded.ok) throw damagedArchive(`${path} ${decoded.problem}`);
  const body = decoded.value;
  if (!isJsonObject(body)) throw damagedArchive(`${path} is not a JSON object`);
  if (!Object.hasOwn(body, "id") || body["id"] !== id)
    throw damagedArchive(`${path} has another id than the manifest states`);
  return { kind, id, name, body };
}

export const MANIFEST_PATH = "manifest.json";

/** Matches a valid name of a kind; the name is also a folder's name in the archive. */
export const KIND_PATTERN = /^[a-z][a-z0-9-]{0,63}$/;

/** Maximum length, in bytes, of an encoded id that is used unchanged; file systems allow 255 bytes for the whole file name. */
const MAX_BYTES = 200;

/** Number of bytes of a long encoded id that are kept as readable text before the hash. */
const KEPT_BYTES = 100;

const UNSAFE = /[^a-z0-9_.-]/gu;
/** A leading dot hides a file (and `.` and `..` are folders); Windows reserves the device names, whatever the extension. */
const UNSAFE_START = /^(?:\.|(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?=\.|$))/;

/**
 * Returns the path of a record: `<kind>/<id>.json`. Every character of the id except `a-z 0-9 _ . -` is percent-encoded in lower
 * case, including capitals, so that no two ids share a file on a file system that folds case or Unicode forms. An id that is empty,
 * over 200 bytes once encoded, or not well-formed Unicode gets a file name that ends in `%-` and the hash of the id's JSON form.
 * The manifest has the id itself, and two ids never give one path.
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

/** The value of a parsed file, or the problem of the file. The problem quotes none of the content. */
export type DecodedJson =
  | { readonly ok: true; readonly value: JsonValue }
  | { readonly ok: false; readonly isJson: boolean; readonly problem: string };

/** Parses a file of the archive: UTF-8 without a byte order mark, within the bounds, with exactly representable numbers. */
export function decodeJson(bytes: Uint8Array, bounds: JsonBounds): DecodedJson {
  const text = decodeUtf8(bytes);
  if (text === undefined) return { ok: false, isJson: false, problem: "is not UTF-8" };
  const flaw = findJsonFlaw(text, bounds);
  if (flaw === "depth" || flaw === "values") {
    return { ok: false, isJson: false, problem: describeJsonFlaw(flaw, bounds) };
  }
  try {
    const value: JsonValue = JSON.parse(text);
    return flaw === undefined
      ? { ok: true, value }
      : { ok: false, isJson: true, problem: describeJsonFlaw(flaw, bounds) };
  } catch {
    // The parser's own message quotes the text, which may be confidential.
    return { ok: false, isJson: false, problem: "is not JSON" };
  }
}

/** Returns the SHA-256 in hex. */
export function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** Returns the SHA-256 in hex over the sorted lines `path sha256`, each ended by LF: the order has no effect. */
export function contentDigest(entries: Iterable<Pick<ManifestEntry, "path" | "sha256">>): string {
  const lines = Array.from(entries, ({ path, sha256 }) => `${path} ${sha256}\n`).sort();
  return createHash("sha256").update(lines.join("")).digest("hex");
}
