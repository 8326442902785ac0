import type { ManifestEntry } from "./manifest.ts";
import type { StackRecord } from "./record.ts";

/** Bytes as a zip keeps them. */
export interface PackedBytes {
  /** Of the bytes before they were packed. */
  readonly crc32: number;
  /** The same: their length. */
  readonly size: number;
  /** In raw deflate. */
  readonly data: Uint8Array<ArrayBuffer>;
}

/** A record in the form of the archive: its line in the manifest, and its file. */
export interface EncodedRecord {
  readonly entry: ManifestEntry;
  readonly packed: PackedBytes;
}

/**
 * Brings a record into the form of the archive. Throws `protocol` for one that no reader of this format would accept.
 * @param look is shown the JSON that will be written, and may throw
 */
export type EncodeRecord = (record: StackRecord, look?: (json: string) => void) => EncodedRecord;
