import type { JsonObject, JsonValue } from "./json.ts";
import type { Manifest, ManifestEntry, ManifestHeader } from "./manifest.ts";
import type { StackIdentity, StackRecord } from "./records/record.ts";
import type { ResourceKind } from "./resource-kind.ts";

export interface RequestCounts {
  readonly total: number;
  readonly retried: number;
  readonly rateLimited: number;
  readonly waitedMs: number;
}

export interface SeriesQuery {
  readonly startTime: number;
  readonly endTime: number;
  readonly granularity: string;
  readonly series: readonly JsonObject[];
}

export interface ValidationVerdict {
  readonly valid: boolean;
  /** `path` is dotted (`tiles.0.w`); empty for an error of a referenced record. */
  readonly errors: readonly { readonly path: string; readonly message: string }[];
  /** The body that a create would store. Members missing here would be dropped. */
  readonly normalized?: JsonObject;
}

/** Not validated against the kind's schema. */
export interface ListedRecord {
  readonly value: JsonValue;
  readonly size?: number;
  /** Set if JavaScript cannot represent a number; the message does not contain the number. */
  readonly problem?: string;
}

/** The records that a list does not show (docs/api.md#lists). */
export interface ListGap {
  readonly hidden: number;
  readonly ids: readonly string[];
  /** True if records were deleted during the last attempt. The list may then lack other records. */
  readonly isChanging: boolean;
}

export interface ProxyEnv {
  readonly http_proxy?: string;
  readonly https_proxy?: string;
  readonly no_proxy?: string;
}

/** A Personal API Access Key (self-hosted), or a cloud API key (managed). */
export type StackCredential = { readonly apiKey: string } | { readonly keyId: string; readonly keySecret: string };

/** A header for a gateway in front of the stack. Outputs and archives contain no value of a secret header. */
export interface RequestHeader {
  readonly name: string;
  readonly value: string;
  readonly isSecret: boolean;
}

/** A client certificate and its private key, as PEM texts, for a gateway in front of the stack. */
export interface ClientCertificate {
  readonly certificate: string;
  readonly key: string;
  /** For an encrypted key. */
  readonly passphrase?: string;
}

/** At most `requests` start in any window of `perMs` milliseconds. */
export interface RateLimit {
  readonly requests: number;
  readonly perMs: number;
}

/** A managed deployment may name these segments differently (docs/api.md#routes). */
export interface PathSegments {
  readonly stack: string;
  readonly pipes: string;
}

export const DEFAULT_PATH_SEGMENTS: PathSegments = { stack: "obsstack", pipes: "pipes" };

/** The AWS SDK looks for absent members elsewhere, such as in profile files. */
export interface S3Access {
  readonly endpoint?: string;
  readonly region?: string;
  /** True: `https://host/bucket/key`; false: `https://bucket.host/key`. Default: true if `endpoint` is set. */
  readonly forcePathStyle?: boolean;
  readonly credentials?: {
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
    readonly sessionToken?: string;
  };
}

/**
 * A live stack.
 * @throws StackError `rejected` (other 4xx), `unavailable` (5xx, 408), `protocol` (not this API), and others
 * @throws StackferryError `interrupted` if the signal is aborted
 */
export interface StackClient extends AsyncDisposable {
  readonly identity: StackIdentity;
  /**
   * Lists each record once and compares the count with the server's total.
   * @param onGap receives the list's gap; without `onGap`, a gap throws `list-incomplete`
   * @throws StackError `not-offered` if the stack has no such list
   */
  list(
    kind: ResourceKind,
    signal?: AbortSignal,
    onGap?: (gap: ListGap) => void,
  ): AsyncIterable<readonly ListedRecord[]>;
  get(kind: ResourceKind, id: string, signal?: AbortSignal): Promise<JsonObject>;
  /** Repeats the request only if the server certainly did not carry out the create. */
  create(kind: ResourceKind, body: JsonObject, signal?: AbortSignal): Promise<JsonObject>;
  update(kind: ResourceKind, id: string, body: JsonObject, options?: WriteRequestOptions): Promise<JsonObject>;
  /** Succeeds if there is no such record. */
  delete(kind: ResourceKind, id: string, options?: WriteRequestOptions): Promise<void>;
  /** Writes nothing. @throws StackError `not-offered` if the stack cannot tell */
  validate(kind: ResourceKind, body: JsonObject, signal?: AbortSignal): Promise<ValidationVerdict>;
  /** @throws StackError `not-offered` for a managed stack */
  querySeries(query: SeriesQuery, signal?: AbortSignal): Promise<JsonObject>;
  requestCounts(): RequestCounts;
}

export interface WriteRequestOptions {
  readonly look?: LookBeforeWrite;
  readonly signal?: AbortSignal;
}

/**
 * The client reads the record before each attempt and sends the write right after this read.
 * @param now undefined for a delete of a missing record
 * @param mayBeWritten true if an earlier attempt got no answer
 * @returns `done` if `now` is the result of the unanswered attempt
 */
export type LookBeforeWrite = (now: JsonObject | undefined, mayBeWritten: boolean) => "send" | "done";

/** Identifies a finished archive. */
export interface ArchiveSummary {
  readonly path: string;
  readonly formatVersion: number;
  readonly contentDigest: string;
  /** Size on disk, in bytes. */
  readonly bytes: number;
  readonly replaced?: string;
  readonly files?: {
    readonly added: readonly string[];
    readonly changed: readonly string[];
    readonly unchanged: number;
  };
}

/** Changes nothing at the final place before `finish`. Disposal without `finish` discards the records. */
export interface ArchiveWriter extends AsyncDisposable {
  /** The caller must not change the bytes afterwards. A later call may throw the error of this write. */
  add(record: StackRecord | EncodedRecord): Promise<ManifestEntry>;
  finish(header: ManifestHeader): Promise<ArchiveSummary>;
}

/**
 * The archive is untrusted input.
 * @throws StackferryError `archive-damaged`, `archive-unknown`, or `archive-io` (unreadable)
 */
export interface ArchiveReader extends AsyncDisposable {
  readonly summary: ArchiveSummary;
  readonly manifest: Manifest;
  /** Compares the checksum, because the archive may have changed since it was opened. */
  read(entry: ManifestEntry): Promise<StackRecord>;
}

export type RecordReader = Pick<ArchiveReader, "manifest" | "read">;

export interface ByteSource {
  readonly size: number;
  read(position: number, length: number): Promise<Buffer | undefined>;
  close(): Promise<void>;
}

export interface FileDigest {
  readonly bytes: number;
  readonly sha256: string;
}

export interface Clock {
  /** Unix milliseconds. */
  now(): number;
  /** Rejects with the signal's reason when the signal is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export interface StoredFile {
  readonly name: string;
  readonly bytes: number;
  /** Last write by the repository's clock, Unix milliseconds. */
  readonly modifiedAt: number;
}

/**
 * A folder or a bucket.
 * @throws StackferryError `usage` (no such place, a name that leaves the repository), `archive-io` (disk full, read-only), and others
 */
export interface Repository extends AsyncDisposable {
  readonly address: string;
  list(prefix: string, signal?: AbortSignal): Promise<readonly StoredFile[]>;
  /** The local file is new and private. */
  fetch(name: string, localPath: string, signal?: AbortSignal): Promise<void>;
  /** Copies the whole file or nothing, and verifies the copy. */
  put(localPath: string, name: string, signal?: AbortSignal): Promise<void>;
  /** Undefined if there is none; empty if the file is too large or not regular. */
  readText(name: string): Promise<string | undefined>;
  /** Writes the whole file or nothing. */
  writeText(name: string, text: string): Promise<void>;
  remove(name: string): Promise<void>;
  /** Milliseconds that this machine's clock is ahead; negative if behind. */
  clockAhead(): Promise<number>;
}

export interface EncodedRecord {
  readonly entry: ManifestEntry;
  readonly bytes: Uint8Array;
}

/** @throws StackferryError `protocol` for a record that no reader of the format accepts */
export type EncodeRecord = (record: StackRecord) => EncodedRecord;

export interface Commit {
  readonly at: number;
  readonly message: string;
  readonly replaced: readonly string[];
  readonly files: readonly { readonly path: string; readonly text: string }[];
}

export interface CommitFolder {
  /** Undefined if there is no commit yet. */
  trailers(key: string): Promise<readonly string[] | undefined>;
  /**
   * Adds all commits or none; returns the newest id, undefined without commits.
   * @throws StackferryError `usage` if the folder has uncommitted changes
   */
  commit(commits: AsyncIterable<Commit>, signal: AbortSignal | undefined): Promise<string | undefined>;
}
