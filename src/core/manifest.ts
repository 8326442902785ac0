import type { Code } from "./codes.ts";
import type { RecordFilter } from "./records/record-filter.ts";
import type { KindName, StackIdentity } from "./records/record.ts";
import type { IdSpace } from "./resource-kind.ts";

/** The first line of every encrypted archive. */
export const AGE_FIRST_LINE = "age-encryption.org/v1\n";

/**
 * Takes the place of the recipients of an archive that is encrypted with a passphrase. It is the same for all passphrases, so that
 * it tells nothing about the passphrase.
 */
export const ENCRYPTED_FOR_PASSPHRASE = "passphrase";

/** The `format` member of every manifest. */
export const ARCHIVE_FORMAT = "stackferry-archive";

/** The archive format version that this program writes; it reads this version and all earlier ones. */
export const ARCHIVE_FORMAT_VERSION = 1;

export type KindStatus = "complete" | "partial" | "failed" | "not-offered" | "not-requested";

export interface KindSummary {
  readonly status: KindStatus;
  readonly count: number;
  readonly error?: string;
  /** For a `failed` kind: the code of its error, such as `forbidden`; absent if single records failed. */
  readonly code?: string;
  /** The number of records known to be missing. It can be 0: others may be missing if the list changed while it was read. */
  readonly unlisted?: number;
}

/** Tells whether every record of the kind is in the archive. A `partial` kind without `unlisted` lacks only parts of records. */
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
  /** The number of such records or members; absent if nobody can know whether there are any. */
  readonly count?: number;
  readonly message: string;
}

/** The part of a manifest that the caller of an archive's writer provides. The writer derives the rest from the records. */
export interface ManifestHeader {
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  readonly createdBy: { readonly name: string; readonly version: string };
  readonly source: StackIdentity;
  /** In a backup: the stack's name in the repository. */
  readonly stack?: string;
  /** The selection, if only some records were exported. A record that is missing from such an archive may still be on the stack. */
  readonly filter?: Pick<RecordFilter, "include" | "exclude"> & {
    /** Patterns that selected records without the alerts on them. Exports no longer write this member. */
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
  /** sha256 over the sorted `path sha256` lines: equal content, equal digest. */
  readonly contentDigest: string;
  readonly entries: readonly ManifestEntry[];
}

/** A dangling reference: what it points to did not exist, or was not shown, when the stack was read. */
export interface DeadReference {
  readonly kind: KindName;
  readonly id: string;
  readonly name: string;
  /** JSON pointer to the first place in the record that holds the reference. */
  readonly pointer: string;
  /** The number of places in the record that hold the reference. */
  readonly places: number;
  readonly space: IdSpace;
  /** The id that the reference points to; for a child, the child's own id. */
  readonly to: string;
  /** True if the reference points to a child that no answer shows: the stack may have that child (docs/api.md#hidden-tiles). */
  readonly isUnshown: boolean;
}
