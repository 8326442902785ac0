import { recordBounds, type JsonBounds } from "../core/text/json-scan.ts";

/** Limits of an archive. An archive is untrusted input, so the reader checks each limit before it allocates memory. */
export interface ArchiveLimits {
  /** Maximum number of files in the archive, including the manifest. In a zip, entries for folders count, too. */
  readonly maxEntries: number;
  /** Maximum size of one record's file, uncompressed, in bytes. */
  readonly maxEntryBytes: number;
  /** Maximum size of the files of all records together, uncompressed, in bytes. */
  readonly maxTotalBytes: number;
  /** Maximum ratio of uncompressed to compressed size. The limit applies to files over `RATIO_FREE_BYTES`. */
  readonly maxRatio: number;
  /** Maximum size of `manifest.json`, uncompressed, in bytes. */
  readonly maxManifestBytes: number;
  /** Maximum number of values and member names in one record, all levels together. */
  readonly maxValues: number;
  /** Maximum number of values and member names in `manifest.json`, all levels together. */
  readonly maxManifestValues: number;
  /** Maximum length of each of the lists `redactions`, `warnings` and `notHeld` of `manifest.json`. */
  readonly maxNotes: number;
  /** Maximum nesting of objects and arrays in a file. */
  readonly maxDepth: number;
  /** Maximum length of a file's path in a zip, in bytes. */
  readonly maxNameLength: number;
}

const KIB = 1024;
const MIB = 1024 * KIB;

/** Files up to this size may have any compression ratio: a small record of equal tiles can exceed any useful limit. */
export const RATIO_FREE_BYTES = MIB;

/** The limits of format version 1 (docs/archive-format.md#limits). Reader and writer check the same limits. */
export const archiveLimits: ArchiveLimits = {
  // A stack has hundreds of records. A zip of 65,535 or more entries needs ZIP64, which the reader refuses.
  maxEntries: 50_000,
  // A stack stores at most 16 MB per record (docs/api.md#envelopes).
  maxEntryBytes: recordBounds.maxBytes,
  // Below 4 GiB, because a larger zip needs ZIP64. 10,000 dashboards of 12 tiles take 48 MB (measured).
  maxTotalBytes: 1024 * MIB,
  // The ratio of a dashboard with 500 equal tiles, the maximum, is 174 (measured); the ratio of a zip bomb is 1,000.
  maxRatio: 200,
  // A record's entry takes about 310 bytes (measured), but a record's name may have up to 1,024 characters.
  maxManifestBytes: 32 * MIB,
  maxValues: recordBounds.maxValues,
  // A record's entry has 13 values and member names, a redaction 7.
  maxManifestValues: 1_500_000,
  // Three redactions for each of the 50,000 files.
  maxNotes: 150_000,
  // The deepest recorded response has 6 levels. Recursive code can handle far more.
  maxDepth: recordBounds.maxDepth,
  // The longest path, `<kind>/<id>.json`, has 64 + 1 + 200 + 5 = 270 bytes.
  maxNameLength: 300,
};

export function manifestBounds({ maxManifestValues, maxDepth }: ArchiveLimits): JsonBounds {
  return { maxValues: maxManifestValues, maxDepth };
}
