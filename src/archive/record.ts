import { StackferryError } from "../core/errors.ts";
import { canonicalJson, isJsonObject, decodeUtf8, type JsonObject, type JsonValue } from "../core/json.ts";
import type { ManifestEntry } from "../core/manifest.ts";
import type { EncodeRecord, EncodedRecord } from "../core/ports.ts";
import type { StackRecord } from "../core/records/record.ts";
import { describeJsonFlaw, findJsonFlaw, type JsonBounds } from "../core/text/json-scan.ts";
import { sha256, KIND_NAME_PATTERN, entryPath } from "./entry.ts";
import { damagedArchiveError, safeForMessage } from "./errors.ts";
import { archiveLimits, type ArchiveLimits } from "./limits.ts";

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
    return new StackferryError("protocol", `${safeForMessage(`${kind}/${id}`)} ${why}`, { hint });
  };
  if (!KIND_NAME_PATTERN.test(kind)) throw unencodableError("has a kind whose name cannot be a folder name");
  if (!Object.hasOwn(body, "id") || body["id"] !== id) throw unencodableError("has another id in its body");
  const json = jsonWithin(body, maxDepth);
  if (json === undefined) throw unencodableError(`nests deeper than ${maxDepth} levels`);
  if (json.length > maxEntryBytes) throw unencodableError(`is over ${maxEntryBytes} bytes`);
  // Each value or name takes at least two characters, so most records are too short to exceed `maxValues`.
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

export function decodeRecord(entry: ManifestEntry, bytes: Uint8Array, bounds: JsonBounds): StackRecord {
  const { path, kind, id, name } = entry;
  if (bytes.length !== entry.bytes)
    throw damagedArchiveError(`${path} does not have the size that the manifest states`);
  if (sha256(bytes) !== entry.sha256) throw damagedArchiveError(`${path} does not match its checksum`);
  const decoded = decodeJson(bytes, bounds);
  if (!decoded.ok) throw damagedArchiveError(`${path} ${decoded.problem}`);
  const body = decoded.value;
  if (!isJsonObject(body)) throw damagedArchiveError(`${path} is not a JSON object`);
  if (!Object.hasOwn(body, "id") || body["id"] !== id)
    throw damagedArchiveError(`${path} has another id than the manifest states`);
  return { kind, id, name, body };
}

/** `problem` never quotes the content. `isJson` is true for JSON with a number that JavaScript cannot represent exactly. */
export type DecodedJson =
  | { readonly ok: true; readonly value: JsonValue }
  | { readonly ok: false; readonly isJson: boolean; readonly problem: string };

/** Refuses a byte order mark. */
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
    // The message of `JSON.parse` quotes the text, which may be confidential.
    return { ok: false, isJson: false, problem: "is not JSON" };
  }
}
