import { recordBounds, type JsonBounds } from "../core/text/json-scan.ts";

/** The limits protect the reader from untrusted archives. Sizes are uncompressed. */
export interface ArchiveLimits {
  /** Includes the manifest and, in a zip, entries for folders. */
  readonly maxEntries: number;
  readonly maxEntryBytes: number;
  readonly maxTotalBytes: number;
  /** Uncompressed size divided by compressed size. Files up to `RATIO_FREE_BYTES` are exempt. */
  readonly maxRatio: number;
  readonly maxManifestBytes: number;
  /** Values and member names in one record, all levels together. */
  readonly maxValues: number;
  readonly maxManifestValues: number;
  /** Maximum length of each of the lists `redactions`, `warnings` and `notHeld`. */
  readonly maxNotes: number;
  readonly maxDepth: number;
  readonly maxNameLength: number;
}

const KIB = 1024;
const MIB = 1024 * KIB;

/** Smaller files are exempt from `maxRatio`, because a small record of equal tiles compresses well. */
export const RATIO_FREE_BYTES = MIB;

/** The limits of format version 1 (docs/archive-format.md#limits). */
export const archiveLimits: ArchiveLimits = {
  // A zip of 65,535 or more entries needs ZIP64, which the reader refuses.
  maxEntries: 50_000,
  // A stack stores at most 16 MB per record (docs/api.md#envelopes).
  maxEntryBytes: recordBounds.maxBytes,
  // A zip over 4 GiB needs ZIP64. 10,000 dashboards of 12 tiles take 48 MB (measured).
  maxTotalBytes: 1024 * MIB,
  // A dashboard with 500 equal tiles, the maximum, has the ratio 174 (measured); a zip bomb has 1,000.
  maxRatio: 200,
  // A record's entry takes about 310 bytes (measured), but a name can have 1,024 characters.
  maxManifestBytes: 32 * MIB,
  maxValues: recordBounds.maxValues,
  // A record's entry has 13 values and member names, a redaction 7.
  maxManifestValues: 1_500_000,
  // Three redactions for each of the 50,000 files.
  maxNotes: 150_000,
  // The deepest recorded response has 6 levels.
  maxDepth: recordBounds.maxDepth,
  // The longest path, `<kind>/<id>.json`, has 64 + 1 + 200 + 5 = 270 bytes.
  maxNameLength: 300,
};

export function manifestBounds({ maxManifestValues, maxDepth }: ArchiveLimits): JsonBounds {
  return { maxValues: maxManifestValues, maxDepth };
}
