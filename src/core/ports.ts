import type { JsonObject, JsonValue } from "./json.ts";
import type { Manifest, ManifestEntry, ManifestHeader } from "./manifest.ts";
import type { StackIdentity, StackRecord } from "./records/record.ts";
import type { ResourceKind } from "./resource-kind.ts";

/** Requests a client has made, retries included (design, section 3: `requests`). */
export interface RequestCounts {
  readonly total: number;
  readonly retried: number;
  readonly rateLimited: number;
  /** Time spent waiting for the stack's limits and between retries, in milliseconds. */
  readonly waitedMs: number;
}

/** A chart series query (contract 2.5). Times are Unix milliseconds. */
export interface SeriesQuery {
  readonly startTime: number;
  readonly endTime: number;
  readonly granularity: string;
  readonly series: readonly JsonObject[];
}

/** What a stack would say to a create, without carrying it out (extended API, `validate`). */
export interface Verdict {
  readonly valid: boolean;
  /** `path`: dotted, such as `tiles.0.w`; empty for what the record points to. */
  readonly errors: readonly { readonly path: string; readonly message: string }[];
  /** The body as a create would take it: a member that is not in it would be dropped. */
  readonly normalized?: JsonObject;
}

/** A record of a list: what the server sent, not yet validated. */
export interface ListedRecord {
  readonly value: JsonValue;
  /** Why the value is not what the server sent: a number of it cannot be kept. Without the number. */
  readonly problem?: string;
}

/** What a list keeps back of what the stack has (docs/api.md#lists). */
export interface ListGap {
  /** Records that the server counts and does not show; 0 where only a change between pages tells that some may be missing. */
  readonly hidden: number;
  /** The ids of those that it names. */
  readonly ids: readonly string[];
  /** Each time it was read, records were deleted between two pages. */
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
   * All records of a kind, page by page, each exactly once, counted against the server's own total at the end.
   * Throws `not-offered` where the stack has no such list.
   * @param onGap told of what the list keeps back, once all that it shows has come; without it that is `list-incomplete`
   */
  list(
    kind: ResourceKind,
    signal?: AbortSignal,
    onGap?: (gap: ListGap) => void,
  ): AsyncIterable<readonly ListedRecord[]>;
  get(kind: ResourceKind, id: string, signal?: AbortSignal): Promise<JsonObject>;
  /** Sends one try only, unless it surely was not applied. Returns the record as stored, ids included. */
  create(kind: ResourceKind, body: JsonObject, signal?: AbortSignal): Promise<JsonObject>;
  update(kind: ResourceKind, id: string, body: JsonObject, signal?: AbortSignal): Promise<JsonObject>;
  /** Deleting what is gone already is success. */
  delete(kind: ResourceKind, id: string, signal?: AbortSignal): Promise<void>;
  /** Whether a create of this body would be accepted now; `not-offered` where the stack cannot be asked. Writes nothing. */
  validate(kind: ResourceKind, body: JsonObject, signal?: AbortSignal): Promise<Verdict>;
  /** Self-hosted only (contract 1); `not-offered` elsewhere. */
  querySeries(query: SeriesQuery, signal?: AbortSignal): Promise<JsonObject>;
  requestCounts(): RequestCounts;
}

/** What a finished archive is known by. */
export interface ArchiveSummary {
  readonly path: string;
  readonly formatVersion: number;
  readonly contentDigest: string;
  /** Size on disk, in bytes. */
  readonly bytes: number;
}

/** Writes one archive. Nothing is visible at the final place before `finish` has returned. */
export interface ArchiveWriter extends AsyncDisposable {
  /**
   * Adds a record that has been redacted, encoded already or not. The caller sees to a stable order. Ids must be unique
   * within a kind.
   */
  add(record: StackRecord | EncodedRecord): Promise<ManifestEntry>;
  /** Writes the manifest last, flushes to disk and moves the archive into place. */
  finish(header: ManifestHeader): Promise<ArchiveSummary>;
  /** `Symbol.asyncDispose` without `finish` removes whatever was written. */
}

/**
 * Reads one archive; an archive is untrusted input. Errors: `archive-damaged`, `archive-unknown`, `archive-io` (it cannot be
 * read, or was closed).
 */
export interface ArchiveReader extends AsyncDisposable {
  readonly summary: ArchiveSummary;
  readonly manifest: Manifest;
  /**
   * The record, read from the archive each time, with every check: it may have been changed since it was opened. Files that the
   * manifest does not name, and the other way round, are found on opening.
   */
  read(entry: ManifestEntry): Promise<StackRecord>;
  /** Every record, in the manifest's order, each checked against its checksum. */
  records(): AsyncIterable<StackRecord>;
}

/** What of a reader it takes to look at its records one by one. */
export type RecordReads = Pick<ArchiveReader, "manifest" | "read">;

/** Time, so that tests need not wait for it. */
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

/** A small file of a repository, or what is in its place. */
export interface StoredText {
  /** Why the text is empty: it is no file, or far larger than any of ours. */
  readonly problem?: string;
  readonly text: string;
  /** Changes whenever the content does; only good for `swap` on the same place. */
  readonly version: string;
  /** Unix milliseconds, by the repository's own clock. */
  readonly modifiedAt: number;
}

/**
 * How a conditional write ended. `sure` is false where the repository cannot promise that nobody else wrote at the same moment
 * (an object store without conditional writes): then read it again, a little later.
 */
export type Swap = { readonly done: true; readonly version: string; readonly sure: boolean } | { readonly done: false };

/**
 * Where archives are kept: a folder, a bucket. Errors: `usage` (no such folder or bucket, a name that leaves the repository),
 * `not-found`, `archive-io` (disk full, read-only …), `unauthorized`, `forbidden`, `unreachable`, `unavailable`.
 */
export interface Repository extends AsyncDisposable {
  /** For messages; without credentials. */
  readonly address: string;
  /** Every file whose name begins with the prefix, by name. What is being written is not among them. */
  list(prefix: string, signal?: AbortSignal): Promise<readonly StoredFile[]>;
  /** Copies a file of the repository to a new private file of this machine. */
  fetch(name: string, localPath: string, signal?: AbortSignal): Promise<void>;
  /** Copies a local file into the repository, whole or not at all, and proves that it arrived as it was sent. */
  put(localPath: string, name: string, signal?: AbortSignal): Promise<void>;
  /** A small file; undefined where there is none. */
  readText(name: string): Promise<StoredText | undefined>;
  /** Writes a small file, whole or not at all. */
  writeText(name: string, text: string): Promise<void>;
  /** Writes a small file only if it is still of that version; undefined: only if there is none. */
  swap(name: string, text: string, version: string | undefined): Promise<Swap>;
  /** Removing what is gone already is success. */
  remove(name: string): Promise<void>;
  /** How far this machine's clock is ahead of the repository's own, in milliseconds; 0 where the repository has none. */
  clockAhead(): Promise<number>;
  /**
   * Removes what runs that were killed have left half-written below the prefix, and returns how many. Only for the
   * owner of the lock of what is written there.
   */
  sweep(prefix: string): Promise<number>;
}

/** A record in the form of the archive: its line in the manifest, and its file. */
export interface EncodedRecord {
  readonly entry: ManifestEntry;
  readonly bytes: Uint8Array;
}

/**
 * Brings a record into the form of the archive. Throws `protocol` for one that no reader of this format would accept.
 * @param inspect gets the JSON that will be written, and may throw
 */
export type EncodeRecord = (record: StackRecord, inspect?: (json: string) => void) => EncodedRecord;
