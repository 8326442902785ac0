import { isJsonObject } from "../domain/json.ts";
import type { ManifestEntry } from "../domain/manifest.ts";
import type { StackRecord } from "../domain/record.ts";
import { damagedArchive } from "./archive-errors.ts";
import { decodeJson } from "./decode-json.ts";
import type { UnpackedFile } from "./unpack-file.ts";

/** The record in a file of the archive, once size, checksum, form and id agree with the manifest's entry. */
export function readRecord(entry: ManifestEntry, { bytes, sha256 }: UnpackedFile, maxDepth: number): StackRecord {
  const { path, kind, id, name } = entry;
  if (bytes.length !== entry.bytes) throw damagedArchive(`${path} does not have the size that the manifest states`);
  if (sha256 !== entry.sha256) throw damagedArchive(`${path} does not match its checksum`);
  const decoded = decodeJson(bytes, maxDepth);
  if (!decoded.ok) throw damagedArchive(`${path} ${decoded.problem}`);
  const body = decoded.value;
  if (!isJsonObject(body)) throw damagedArchive(`${path} is not a JSON object`);
  if (!Object.hasOwn(body, "id") || body["id"] !== id)
    throw damagedArchive(`${path} has another id than the manifest states`);
  return { kind, id, name, body };
}
