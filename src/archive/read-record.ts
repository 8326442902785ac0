import { createHash, webcrypto } from "node:crypto";
import { isJsonObject } from "../domain/json.ts";
import type { ManifestEntry } from "../domain/manifest.ts";
import type { StackRecord } from "../domain/record.ts";
import { damagedArchive } from "./archive-errors.ts";
import { decodeJson } from "./decode-json.ts";

const { subtle } = webcrypto;

/** The record in a file of the archive, once size, checksum, form and id agree with the manifest's entry. */
export async function readRecord(entry: ManifestEntry, bytes: Buffer, maxDepth: number): Promise<StackRecord> {
  // By Web Crypto, because that works in another thread while this one parses.
  const sha256 = Buffer.from(await subtle.digest("SHA-256", bytes)).toString("hex");
  return checkedRecord(entry, bytes, sha256, maxDepth);
}

/** The same at once. */
export function readRecordSync(entry: ManifestEntry, bytes: Buffer, maxDepth: number): StackRecord {
  return checkedRecord(entry, bytes, createHash("sha256").update(bytes).digest("hex"), maxDepth);
}

function checkedRecord(entry: ManifestEntry, bytes: Buffer, sha256: string, maxDepth: number): StackRecord {
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
