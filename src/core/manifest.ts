import type { Code } from "./codes.ts";
import type { RecordFilter } from "./records/record-filter.ts";
import type { KindName, StackIdentity } from "./records/record.ts";
import type { IdSpace } from "./resource-kind.ts";

export const AGE_FIRST_LINE = "age-encryption.org/v1\n";

/** Takes the place of a digest of the recipients: a digest of the passphrase would help to guess the passphrase. */
export const ENCRYPTED_FOR_PASSPHRASE = "passphrase";

export const ARCHIVE_FORMAT = "stackferry-archive";

export const ARCHIVE_FORMAT_VERSION = 1;

export type KindStatus = "complete" | "partial" | "failed" | "not-offered" | "not-requested";

export interface KindSummary {
  readonly status: KindStatus;
  readonly count: number;
  readonly error?: string;
  /** The code of the error that ended the reading of the kind. */
  readonly code?: string;
  /** The number of records that the stack counts but does not list. 0: records were deleted during the reading. */
  readonly unlisted?: number;
}

/** A `partial` kind without `unlisted` lacks at most parts of records. */
export function hasEveryRecord(summary: Pick<KindSummary, "status" | "unlisted"> | undefined): boolean {
  return summary?.status === "complete" || (summary?.status === "partial" && summary.unlisted === undefined);
}

export interface ManifestEntry {
  /** `<kind>/<id>.json`; characters unsafe in a file name are percent-encoded. */
  readonly path: string;
  readonly kind: KindName;
  readonly id: string;
  readonly name: string;
  /** Uncompressed bytes of the file. */
  readonly bytes: number;
  readonly sha256: string;
}

export interface Redaction {
  readonly path: string;
  readonly pointer: string;
  readonly rule: string;
}

export interface ManifestWarning {
  readonly code: Code;
  readonly message: string;
}

/** Content that the stack may have and its API never returns. */
export interface MissingContent {
  readonly code: string;
  readonly kind?: KindName;
  readonly count?: number;
  readonly message: string;
}

/** The caller's part of a manifest. The archive writer derives the rest. */
export interface ManifestHeader {
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  readonly createdBy: { readonly name: string; readonly version: string };
  readonly source: StackIdentity;
  /** In a backup: the stack's name in the repository. */
  readonly stack?: string;
  /** Present if the export had a selection. The stack may then have more records than the archive. */
  readonly filter?: Pick<RecordFilter, "include" | "exclude"> & {
    /** From older releases: patterns that selected records without the alerts on them. */
    readonly only?: readonly string[];
  };
  readonly kinds: Readonly<Record<KindName, KindSummary>>;
  readonly redactions: readonly Redaction[];
  readonly warnings: readonly ManifestWarning[];
  readonly notHeld?: readonly MissingContent[];
}

/** `manifest.json`, format version 1 (docs/archive-format.md). */
export interface Manifest extends ManifestHeader {
  readonly format: typeof ARCHIVE_FORMAT;
  readonly formatVersion: number;
  /** SHA-256 of the sorted lines `path sha256` of all entries. */
  readonly contentDigest: string;
  readonly entries: readonly ManifestEntry[];
}

/** A reference to something that did not exist, or was not shown, when the stack was read. */
export interface DeadReference {
  readonly kind: KindName;
  readonly id: string;
  readonly name: string;
  readonly pointer: string;
  readonly places: number;
  readonly space: IdSpace;
  /** For a child: its own id, without the owner's. */
  readonly to: string;
  /** True for a child that no answer shows, but that may exist (docs/api.md#hidden-tiles). */
  readonly isUnshown: boolean;
}
