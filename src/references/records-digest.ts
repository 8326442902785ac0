import { createHash } from "node:crypto";
import type { RecordKey, StackRecord } from "../core/records/record.ts";
import { recordKey } from "../core/records/record.ts";
import { withoutPath } from "../core/records/member-path.ts";
import { findKind } from "../kinds/registry.ts";
import { foldIds } from "./known-ids.ts";
import { fingerprint } from "./record-content.ts";

/** A record's key and the digest of its content. */
export interface RecordDigest {
  readonly key: RecordKey;
  readonly digest: string;
}

/**
 * Makes the digest of a record without server-owned members, so that an alert that fires does not count as changed
 * (docs/api.md#alert-updates).
 */
export function digestRecord({ kind: name, id, body }: StackRecord): RecordDigest {
  const owned = findKind(name)?.serverOwned ?? [];
  return { key: recordKey(name, foldIds(id)), digest: fingerprint(owned.reduce(withoutPath, body)) };
}

/**
 * SHA-256 of the contents of the records, in any order. Unlike an archive's content digest, it stays the same as long as nobody
 * edits a record.
 */
export function recordsDigest(records: Iterable<RecordDigest>): string {
  const lines = Array.from(records, ({ key, digest }) => `${key} ${digest}\n`).sort();
  return createHash("sha256").update(lines.join("")).digest("hex");
}
