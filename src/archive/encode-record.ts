import { createHash } from "node:crypto";
import { canonicalJson } from "../domain/canonical-json.ts";
import { StackferryError } from "../domain/errors.ts";
import type { JsonObject } from "../domain/json.ts";
import type { ManifestEntry } from "../domain/manifest.ts";
import type { StackRecord } from "../domain/record.ts";
import { KIND_PATTERN, entryPath } from "./entry-path.ts";
import type { ArchiveLimits } from "./limits.ts";
import { printable } from "./printable.ts";

/** A record's file, and its line in the manifest. */
export interface EncodedRecord {
  readonly entry: ManifestEntry;
  readonly bytes: Uint8Array;
}

/** Throws `protocol` for a record that no reader of this format would accept; nothing else of the archive is touched. */
export function encodeRecord(
  { kind, id, name, body }: StackRecord,
  limits: ArchiveLimits,
  look: (json: string) => void = () => {},
): EncodedRecord {
  const refuse = (why: string): StackferryError => {
    const hint = "the stack answered it in a form that cannot be archived; leave it out with --exclude, and report it";
    return new StackferryError("protocol", `${printable(`${kind}/${id}`)} ${why}`, { hint });
  };
  if (!KIND_PATTERN.test(kind)) throw refuse("is of a kind whose name cannot be a folder's");
  if (!Object.hasOwn(body, "id") || body["id"] !== id) throw refuse("has another id in its body");
  const json = written(body, limits.maxDepth);
  if (json === undefined) throw refuse(`nests deeper than ${String(limits.maxDepth)} levels`);
  look(json);
  const bytes = Buffer.from(json, "utf8");
  if (bytes.length > limits.maxEntryBytes) throw refuse(`is over ${String(limits.maxEntryBytes)} bytes`);
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  return { entry: { path: entryPath(kind, id), kind, id, name, bytes: bytes.length, sha256 }, bytes };
}

function written(body: JsonObject, maxDepth: number): string | undefined {
  try {
    return canonicalJson(body, maxDepth);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
