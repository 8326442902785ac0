import type { Code } from "./codes.ts";
import type { RecordFilter } from "./records/record-filter.ts";
import type { KindName, StackIdentity } from "./records/record.ts";
import type { IdSpace } from "./resource-kind.ts";

/** The first line of an encrypted archive. */
export const AGE_FIRST_LINE = "age-encryption.org/v1\n";

/**
 * Stands in a repository for the digest of the recipients, if an archive is encrypted with a passphrase. A digest of
 * the passphrase would help to guess the passphrase.
 */
export const ENCRYPTED_FOR_PASSPHRASE = "passphrase";

/** The `format` member of every manifest. */
export const ARCHIVE_FORMAT = "stackferry-archive";

/** The archive format version that this program writes, and the newest that it reads. */
export const ARCHIVE_FORMAT_VERSION = 1;

export type KindStatus = "complete" | "partial" | "failed" | "not-offered" | "not-requested";

export interface KindSummary {
  readonly status: KindStatus;
  readonly count: number;
  readonly error?: string;
  /** The code of the error that ended the reading of the kind, such as `forbidden`. Absent if only single records failed. */
  readonly code?: string;
  /**
   * Set if the list may lack records: the number that the stack counts but does not list. 0 if records were deleted
   * while the list was read, because others may then be missing.
   */
  readonly unlisted?: number;
}

/** Tells whether the export could read every record of the kind. A `partial` kind without `unlisted` lacks only parts of records. */
export function hasEveryRecord(summary: Pick<KindSummary, "status" | "unlisted"> | undefined): boolean {
  return summary?.status === "complete" || (summary?.status === "partial" && summary.unlisted === undefined);
}

export interface ManifestEntry {
  /** `<kind>/<id>.json`, the id percent-encoded where it is unsafe as a file name. */
  readonly path: string;
  readonly kind: KindName;
  readonly id: string;
  readonly name: string;
  /** Size of the file, uncompressed, in bytes. */
  readonly bytes: number;
  /** Hex digest of the file's bytes. */
  readonly sha256: string;
}

/** A value that was redacted because it was, or might be, a secret. */
export interface Redaction {
  readonly path: string;
  readonly pointer: string;
  readonly rule: string;
}

/** A warning that an export writes into the manifest. */
export interface ManifestWarning {
  readonly code: Code;
  readonly message: string;
}

/** Content that the stack has, or may have, and that its API never returns. */
export interface MissingContent {
  readonly code: string;
  /** Absent if the content belongs to no kind. */
  readonly kind?: KindName;
  /** The number of missing records or members; absent if nobody can know it. */
  readonly count?: number;
  readonly message: string;
}

/** The part of a manifest that the caller of an archive writer provides. The writer derives the rest from the records. */
export interface ManifestHeader {
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  readonly createdBy: { readonly name: string; readonly version: string };
  readonly source: StackIdentity;
  /** In a backup: the stack's name in the repository. */
  readonly stack?: string;
  /** The selection, if the export had one. A record that the archive lacks may then still be on the stack. */
  readonly filter?: Pick<RecordFilter, "include" | "exclude"> & {
    /** Exports of older releases: patterns that selected records without the alerts on them. */
    readonly only?: readonly string[];
  };
  readonly kinds: Readonly<Record<KindName, KindSummary>>;
  readonly redactions: readonly Redaction[];
  readonly warnings: readonly ManifestWarning[];
  /** Absent in archives of older releases. */
  readonly notHeld?: readonly MissingContent[];
}

/** `manifest.json`, format version 1 (docs/archive-format.md). */
export interface Manifest extends ManifestHeader {
  readonly format: typeof ARCHIVE_FORMAT;
  readonly formatVersion: number;
  /** SHA-256 of the sorted lines `path sha256` of all entries. Equal content has an equal digest. */
  readonly contentDigest: string;
  readonly entries: readonly ManifestEntry[];
}

/** A reference to a record or child that did not exist, or was not shown, when the stack was read. */
export interface DeadReference {
  readonly kind: KindName;
  readonly id: string;
  readonly name: string;
  /** JSON pointer to the first place in the record that holds the reference. */
  readonly pointer: string;
  /** The number of places in the record that hold the reference. */
  readonly places: number;
  readonly space: IdSpace;
  /** The id that the reference points to. For a child, this is the child's own id, without the owner's. */
  readonly to: string;
  /** True if the reference points to a child that no answer shows. The stack may have that child (docs/api.md#hidden-tiles). */
  readonly isUnshown: boolean;
}
