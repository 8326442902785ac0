import type { JsonObject, JsonValue } from "./json.ts";
import type { Manifest, ManifestEntry, ManifestHeader } from "./manifest.ts";
import type { StackIdentity, StackRecord } from "./records/record.ts";
import type { ResourceKind } from "./resource-kind.ts";

/** The requests that a client has made, retries included. */
export interface RequestCounts {
  readonly total: number;
  readonly retried: number;
  readonly rateLimited: number;
  /** Time spent waiting for the stack's limits and between retries, in milliseconds. */
  readonly waitedMs: number;
}

/** A chart series query (docs/api.md#series). Times are Unix milliseconds. */
export interface SeriesQuery {
  readonly startTime: number;
  readonly endTime: number;
  readonly granularity: string;
  readonly series: readonly JsonObject[];
}

/** A stack's answer to a create that it validates without carrying it out (docs/api.md#routes). */
export interface Verdict {
  readonly valid: boolean;
  /** `path`: dotted, such as `tiles.0.w`; empty if the error is about a record that this one points to. */
  readonly errors: readonly { readonly path: string; readonly message: string }[];
  /** The body as a create would store it: members that are missing from it would be dropped. */
  readonly normalized?: JsonObject;
}

/** A record of a list, as the server sent it, not yet validated. */
export interface ListedRecord {
  readonly value: JsonValue;
  /** Set if the value differs from the server's, because a number in it cannot be kept. The message does not hold the number. */
  readonly problem?: string;
}

/** The records that a list does not show (docs/api.md#lists). */
export interface ListGap {
  /** Records that the server counts but does not show; 0 if only a change between pages suggests that some are missing. */
  readonly hidden: number;
  /** The ids of the hidden records that the server names. */
  readonly ids: readonly string[];
  /** Records were deleted between two pages on every attempt to read the list. */
  readonly isChanging: boolean;
}

/** The proxy variables, as the caller read them from the environment. */
export interface ProxyEnv {
  readonly http_proxy?: string;
  readonly https_proxy?: string;
  readonly no_proxy?: string;
}

/**
 * A live stack. Errors are `StackError`: `unauthorized`, `forbidden`, `not-found`, `not-offered`, `rejected` (4xx),
 * `rate-limited`, `unavailable` (5xx), `unreachable`, `protocol` (a response that is not of this API), `list-incomplete`.
 */
export interface StackClient extends AsyncDisposable {
  readonly identity: StackIdentity;
  /**
   * Lists all records of a kind, page by page, each exactly once, and checks their number against the server's own total at the
   * end. Throws `not-offered` where the stack has no such list.
   * @param onGap receives the gap of the list after all visible records have come; without it a gap throws `list-incomplete`
   */
  list(
    kind: ResourceKind,
    signal?: AbortSignal,
    onGap?: (gap: ListGap) => void,
  ): AsyncIterable<readonly ListedRecord[]>;
  get(kind: ResourceKind, id: string, signal?: AbortSignal): Promise<JsonObject>;
  /** Retries only if the request was certainly not applied. Returns the record as stored, ids included. */
  create(kind: ResourceKind, body: JsonObject, signal?: AbortSignal): Promise<JsonObject>;
  update(kind: ResourceKind, id: string, body: JsonObject, signal?: AbortSignal): Promise<JsonObject>;
  /** Deleting a record that no longer exists is success. */
  delete(kind: ResourceKind, id: string, signal?: AbortSignal): Promise<void>;
  /** Asks whether a create of this body would be accepted now; `not-offered` where the stack cannot be asked. Writes nothing. */
  validate(kind: ResourceKind, body: JsonObject, signal?: AbortSignal): Promise<Verdict>;
  /** Self-hosted only (docs/api.md#series); `not-offered` elsewhere. */
  querySeries(query: SeriesQuery, signal?: AbortSignal): Promise<JsonObject>;
  requestCounts(): RequestCounts;
}

/** The identification of a finished archive. */
export interface ArchiveSummary {
  readonly path: string;
  readonly formatVersion: number;
  readonly contentDigest: string;
  /** Size on disk, in bytes. */
  readonly bytes: number;
}

/** Writes one archive. Nothing is visible at the final place before `finish` has returned. */
export interface ArchiveWriter extends AsyncDisposable {
  /** Adds a redacted record, encoded or not. The caller provides a stable order. Ids must be unique within a kind. */
  add(record: StackRecord | EncodedRecord): Promise<ManifestEntry>;
  /** Writes the manifest last, flushes to disk and moves the archive into place. */
  finish(header: ManifestHeader): Promise<ArchiveSummary>;
  /** `Symbol.asyncDispose` without `finish` removes everything that was written. */
}

/**
 * Reads one archive; an archive is untrusted input. Errors: `archive-damaged`, `archive-unknown`, `archive-io` (it cannot be
 * read, or was closed).
 */
export interface ArchiveReader extends AsyncDisposable {
  readonly summary: ArchiveSummary;
  readonly manifest: Manifest;
  /**
   * Reads the record from the archive each time, with every check: the archive may have changed since it was opened. Opening finds
   * files that the manifest does not name, and named files that are missing.
   */
  read(entry: ManifestEntry): Promise<StackRecord>;
  /** Reads every record in the manifest's order, each checked against its checksum. */
  records(): AsyncIterable<StackRecord>;
}

/** The part of a reader that is needed to read records one by one. */
export type RecordReads = Pick<ArchiveReader, "manifest" | "read">;

/** The clock, injected so that tests need not wait. */
export interface Clock {
  /** Unix milliseconds. */
  now(): number;
  /** Resolves after `ms`; rejects with the signal's reason when aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** A file of a repository. */
export interface StoredFile {
  /** Relative to the repository, parts separated by `/`. */
  readonly name: string;
  readonly bytes: number;
  /** Unix milliseconds, by the repository's own clock. */
  readonly modifiedAt: number;
}

/** A small file of a repository, or the problem with the entry in its place. */
export interface StoredText {
  /** Why the text is empty: the entry is not a file, or is far larger than any of ours. */
  readonly problem?: string;
  readonly text: string;
  /** Changes whenever the content does; only valid for `swap` on the same place. */
  readonly version: string;
  /** Unix milliseconds, by the repository's own clock. */
  readonly modifiedAt: number;
}

/**
 * The result of a conditional write. `sure` is false where the repository cannot rule out another write at the same moment (an
 * object store without conditional writes): the caller then reads the file again a little later.
 */
export type Swap = { readonly done: true; readonly version: string; readonly sure: boolean } | { readonly done: false };

/**
 * Where archives are kept: a folder, a bucket. Errors: `usage` (no such folder or bucket, a name that leaves the repository),
 * `not-found`, `archive-io` (disk full, read-only …), `unauthorized`, `forbidden`, `unreachable`, `unavailable`.
 */
export interface Repository extends AsyncDisposable {
  /** For messages; without credentials. */
  readonly address: string;
  /** Lists every file whose name begins with the prefix, by name. Files that are still being written are not included. */
  list(prefix: string, signal?: AbortSignal): Promise<readonly StoredFile[]>;
  /** Copies a file of the repository to a new private file of this machine. */
  fetch(name: string, localPath: string, signal?: AbortSignal): Promise<void>;
  /** Copies a local file into the repository, whole or not at all, and verifies that it arrived unchanged. */
  put(localPath: string, name: string, signal?: AbortSignal): Promise<void>;
  /** Reads a small file; undefined where there is none. */
  readText(name: string): Promise<StoredText | undefined>;
  /** Writes a small file, whole or not at all. */
  writeText(name: string, text: string): Promise<void>;
  /** Writes a small file only if it still has that version; undefined: only if it does not exist. */
  swap(name: string, text: string, version: string | undefined): Promise<Swap>;
  /** Removing a file that no longer exists is success. */
  remove(name: string): Promise<void>;
  /** Returns how far this machine's clock is ahead of the repository's, in milliseconds; 0 where the repository has none. */
  clockAhead(): Promise<number>;
  /**
   * Removes the half-written files of killed runs below the prefix, and returns their number. Only the owner of the lock on these
   * files may call it.
   */
  sweep(prefix: string): Promise<number>;
}

/** A record in the archive's form: its line in the manifest, and its file. */
export interface EncodedRecord {
  readonly entry: ManifestEntry;
  readonly bytes: Uint8Array;
}

/**
 * Encodes a record in the archive's form. Throws `protocol` for a record that no reader of this format would accept.
 * @param inspect gets the JSON that will be written, and may throw
 */
export type EncodeRecord = (record: StackRecord, inspect?: (json: string) => void) => EncodedRecord;
