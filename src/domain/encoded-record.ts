import type { ManifestEntry } from "./manifest.ts";
import type { StackRecord } from "./record.ts";

/** A record in the form of the archive: its line in the manifest, and its file. */
export interface EncodedRecord {
  readonly entry: ManifestEntry;
  readonly bytes: Uint8Array;
}

/**
 * Brings a record into the form of the archive. Throws `protocol` for one that no reader of this format would accept.
 * @param look is shown the JSON that will be written, and may throw
 */
export type EncodeRecord = (record: StackRecord, look?: (json: string) => void) => EncodedRecord;
