import { createHash } from "node:crypto";
import { StackferryError } from "../core/errors.ts";
import type { JsonObject, JsonValue } from "../core/json.ts";
import { canonicalJson, decodeUtf8, isJsonArray, isJsonObject, nestsDeeperThan } from "../core/json.ts";
import type { ManifestEntry } from "../core/manifest.ts";
import type { EncodeRecord, EncodedRecord } from "../core/ports.ts";
import type { KindName, StackRecord } from "../core/record.ts";
import { damagedArchive, printable } from "./errors.ts";
import type { ArchiveLimits } from "./limits.ts";
import { archiveLimits } from "./limits.ts";

/** The manifest's own path. */
export const MANIFEST_PATH = "manifest.json";

/** What a kind may be called: it is a folder's name. */
export const KIND_PATTERN = /^[a-z][a-z0-9-]{0,63}$/;

/** Creates the encoder that writes records in the form of the archive. */
export function createRecordEncoder(replacing: Partial<ArchiveLimits> = {}): EncodeRecord {
  const limits = { ...archiveLimits, ...replacing };
  return (record, inspect = () => {}) => encodeRecord(record, inspect, limits);
}

function encodeRecord(
  { kind, id, name, body }: StackRecord,
  inspect: (json: string) => void,
  { maxDepth, maxEntryBytes }: ArchiveLimits,
): EncodedRecord {
  const unencodable = (why: string): StackferryError => {
    const hint = "the stack sent it in a form that cannot be archived; leave it out with --exclude, and report it";
    return new StackferryError("protocol", `${printable(`${kind}/${id}`)} ${why}`, { hint });
  };
  if (!KIND_PATTERN.test(kind)) throw unencodable("is of a kind whose name cannot be a folder's");
  if (!Object.hasOwn(body, "id") || body["id"] !== id) throw unencodable("has another id in its body");
  const json = written(body, maxDepth);
  if (json === undefined) throw unencodable(`nests deeper than ${String(maxDepth)} levels`);
  inspect(json);
  const bytes = Buffer.from(json, "utf8");
  if (bytes.length > maxEntryBytes) throw unencodable(`is over ${String(maxEntryBytes)} bytes`);
  return { entry: { path: entryPath(kind, id), kind, id, name, bytes: bytes.length, sha256: sha256(bytes) }, bytes };
}

function written(body: JsonObject, maxDepth: number): string | undefined {
  try {
    return canonicalJson(body, maxDepth);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** The record in a file of the archive, once size, checksum, form and id agree with the manifest's entry. */
export function decodeRecord(entry: ManifestEntry, bytes: Uint8Array, maxDepth: number): StackRecord {
  const { path, kind, id, name } = entry;
  if (bytes.length !== entry.bytes) throw damagedArchive(`${path} does not have the size that the manifest states`);
  if (sha256(bytes) !== entry.sha256) throw damagedArchive(`${path} does not match its checksum`);
  const decoded = decodeJson(bytes, maxDepth);
  if (!decoded.ok) throw damagedArchive(`${path} ${decoded.problem}`);
  const body = decoded.value;
  if (!isJsonObject(body)) throw damagedArchive(`${path} is not a JSON object`);
  if (!Object.hasOwn(body, "id") || body["id"] !== id)
    throw damagedArchive(`${path} has another id than the manifest states`);
  return { kind, id, name, body };
}

/** In hex. */
export function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** A parsed file, or the problem without any of the content. */
export type DecodedJson =
  | { readonly ok: true; readonly value: JsonValue }
  | { readonly ok: false; readonly isJson: boolean; readonly problem: string };

/** A text this long can nest so deep that parsing it takes many times its size: then its brackets are counted first. */
const LONG = 1_000_000;

/** Reads a file of the archive as JSON: UTF-8 without a byte order mark, nested no deeper than `maxDepth`, numbers within range. */
export function decodeJson(bytes: Uint8Array, maxDepth: number): DecodedJson {
  const text = decodeUtf8(bytes);
  if (text === undefined) return { ok: false, isJson: false, problem: "is not UTF-8" };
  const tooDeep = { ok: false, isJson: false, problem: `nests deeper than ${String(maxDepth)} levels` } as const;
  if (text.length > LONG && nestsDeeperThan(text, maxDepth)) return tooDeep;
  let value: JsonValue;
  try {
    value = JSON.parse(text);
  } catch {
    // The parser's own message quotes the text, which may be confidential.
    return nestsDeeperThan(text, maxDepth) ? tooDeep : { ok: false, isJson: false, problem: "is not JSON" };
  }
  const flaw = flawOf(value, maxDepth);
  if (flaw === "too deep") return tooDeep;
  if (flaw === "overflow") return { ok: false, isJson: true, problem: "holds a number that is too large" };
  return { ok: true, value };
}

/** `1e999` is JSON, and read as infinity; written again it would have become null silently. */
function flawOf(value: JsonValue | undefined, depthLeft: number): "too deep" | "overflow" | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? undefined : "overflow";
  if (typeof value !== "object" || value === null) return undefined;
  if (depthLeft <= 0) return "too deep";
  for (const inner of isJsonArray(value) ? value : Object.values(value)) {
    const flaw = flawOf(inner, depthLeft - 1);
    if (flaw !== undefined) return flaw;
  }
  return undefined;
}

/** The longest encoded id that is used as it is, in bytes; file systems take 255 with everything. */
const MOST_BYTES = 200;

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
  const fits = encoded !== "" && encoded.length <= MOST_BYTES;
  if (fits && !/\p{Surrogate}/u.test(id)) return encoded;
  const digest = sha256(Buffer.from(JSON.stringify(id), "utf8"));
  return `${encoded.slice(0, KEPT_BYTES)}%-${digest}`;
}

function percentEncode(character: string): string {
  return [...Buffer.from(character, "utf8")].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join("");
}
