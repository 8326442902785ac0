import { recordBounds, type JsonBounds } from "../core/text/json-scan.ts";

/** The limits of an archive. An archive is untrusted input, so each limit is checked before the memory is spent. */
export interface ArchiveLimits {
  /** Maximum number of files in the archive, including the manifest. */
  readonly maxEntries: number;
  /** Maximum size of one record's file, uncompressed, in bytes. */
  readonly maxEntryBytes: number;
  /** Maximum size of all files together, uncompressed, in bytes. */
  readonly maxTotalBytes: number;
  /** Maximum compression ratio of a file over `RATIO_FREE_BYTES`. */
  readonly maxRatio: number;
  /** Maximum size of `manifest.json`, uncompressed, in bytes. */
  readonly maxManifestBytes: number;
  /** Maximum number of values and member names in one record, at any depth. */
  readonly maxValues: number;
  /** Maximum number of values and member names in `manifest.json`. */
  readonly maxManifestValues: number;
  /** Maximum number of redactions in `manifest.json`. The same limit applies to its warnings and to `notHeld`. */
  readonly maxNotes: number;
  /** Maximum nesting of objects and arrays. */
  readonly maxDepth: number;
  readonly maxNameLength: number;
}

const KIB = 1024;
const MIB = 1024 * KIB;

/** Files up to this size may have any compression ratio: a small record of equal tiles compresses more than any useful limit. */
export const RATIO_FREE_BYTES = MIB;

/** The limits of format version 1 (docs/archive-format.md). The writer keeps to them, too. */
export const archiveLimits: ArchiveLimits = {
  // A stack has hundreds of records, so this is ample. A zip of 65,535 or more entries needs ZIP64, which is refused.
  maxEntries: 50_000,
  // A stack stores at most 16 MB per record (docs/api.md#envelopes).
  maxEntryBytes: recordBounds.maxBytes,
  // Below 4 GiB, because a larger zip needs ZIP64. 10,000 dashboards of 12 tiles take 48 MB (measured).
  maxTotalBytes: 1024 * MIB,
  // 500 equal tiles, the maximum of a dashboard, shrink 174 times (measured); a zip bomb shrinks 1,000 times.
  maxRatio: 200,
  // A record takes about 310 bytes (measured), but its name may have up to 1,024 characters (docs/api.md#limits).
  maxManifestBytes: 32 * MIB,
  maxValues: recordBounds.maxValues,
  // A record takes 13 of these values, a redaction 7.
  maxManifestValues: 1_500_000,
  // Three notes for each record of the largest possible archive.
  maxNotes: 150_000,
  // The deepest recorded response has 6 levels. Recursive code can handle far more.
  maxDepth: recordBounds.maxDepth,
  // `<kind>/<id>.json`: 64 + 1 + 200 + 5, and some reserve.
  maxNameLength: 300,
};

export function manifestBounds({ maxManifestValues, maxDepth }: ArchiveLimits): JsonBounds {
  return { maxValues: maxManifestValues, maxDepth };
}
