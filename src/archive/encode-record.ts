import { createHash } from "node:crypto";
import { canonicalJson } from "../domain/canonical-json.ts";
import type { EncodeRecord } from "../domain/encoded-record.ts";
import { StackferryError } from "../domain/errors.ts";
import type { JsonObject } from "../domain/json.ts";
import { KIND_PATTERN, entryPath } from "./entry-path.ts";
import { archiveLimits } from "./limits.ts";
import type { ArchiveLimits } from "./limits.ts";
import { packBytes } from "./pack-bytes.ts";
import { printable } from "./printable.ts";

/** What a record is encoded for. */
export interface RecordEncoding {
  readonly format: "zip" | "folder";
  /** Of compression, 0 (none) to 9 (smallest). */
  readonly level?: number;
  readonly limits?: Partial<ArchiveLimits>;
}

/** zlib's own default: 9 saves less than one percent on recorded answers. In a folder files are not packed at all in the end. */
const DEFAULT_LEVELS = { zip: 6, folder: 1 };

/** Makes an encoder of records. It shares nothing with others of the same making, so each thread can have its own. */
export function createRecordEncoder(encoding: RecordEncoding): EncodeRecord {
  const limits = { ...archiveLimits, ...encoding.limits };
  const packing = { level: encoding.level ?? DEFAULT_LEVELS[encoding.format], maxRatio: limits.maxRatio };
  return ({ kind, id, name, body }, look = () => {}) => {
    const refuse = (why: string): StackferryError => {
      const hint =
        "the stack answered it in a form that cannot be archived; leave it out with --exclude, and report it";
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
    const entry = { path: entryPath(kind, id), kind, id, name, bytes: bytes.length, sha256 };
    return { entry, packed: packBytes(bytes, packing) };
  };
}

function written(body: JsonObject, maxDepth: number): string | undefined {
  try {
    return canonicalJson(body, maxDepth);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
