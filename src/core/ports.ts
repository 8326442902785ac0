import type { JsonObject, JsonValue } from "./json.ts";
import type { Manifest, ManifestEntry, ManifestHeader } from "./manifest.ts";
import type { StackIdentity, StackRecord } from "./records/record.ts";
import type { ResourceKind } from "./resource-kind.ts";

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
export interface ValidationVerdict {
  readonly valid: boolean;
  /** `path`: the dotted path to the faulty member, such as `tiles.0.w`; empty for an error about another, referenced record. */
  readonly errors: readonly { readonly path: string; readonly message: string }[];
  /** The body as a create would store it. A create would drop the members that this body lacks. */
  readonly normalized?: JsonObject;
}

/** A record of a list, as the server sent it, not yet validated. */
export interface ListedRecord {
  readonly value: JsonValue;
  /** Length of the record's JSON in characters, as the server sent it. */
  readonly size?: number;
  /** Set if JavaScript cannot represent a number of the server's value. The message does not contain the number. */
  readonly problem?: string;
}

/** The records that a list does not show (docs/api.md#lists). */
export interface ListGap {
  /** Number of records that the server counts but does not list. */
  readonly hidden: number;
  /** The ids of the hidden records that the server names. */
  readonly ids: readonly string[];
  /** True if records were deleted while the last attempt read the list, so other records may be missing from it. */
  readonly isChanging: boolean;
}

/** The proxy variables, as the caller read them from the environment. */
export interface ProxyEnv {
  readonly http_proxy?: string;
  readonly https_proxy?: string;
  readonly no_proxy?: string;
}

/** A Personal API Access Key (self-hosted), or a cloud API key (managed) (docs/api.md#identity). */
export type StackCredential = { readonly apiKey: string } | { readonly keyId: string; readonly keySecret: string };

/** A header of every request to a stack, for a gateway in front of it. The value of a secret header must not appear anywhere. */
export interface RequestHeader {
  readonly name: string;
  readonly value: string;
  readonly isSecret: boolean;
}

/** A certificate with which the client proves itself to a gateway, and its key; both are PEM texts. */
export interface ClientCertificate {
  readonly certificate: string;
  readonly key: string;
  /** Opens the key, if it is encrypted. */
  readonly passphrase?: string;
}

/** A limit on requests: at most `requests` start in any window of `perMs` milliseconds. */
export interface RateLimit {
  readonly requests: number;
  readonly perMs: number;
}

/** The path segments that a managed deployment may name differently (docs/api.md#routes). */
export interface PathSegments {
  readonly stack: string;
  readonly pipes: string;
}

export const DEFAULT_PATH_SEGMENTS: PathSegments = { stack: "obsstack", pipes: "pipes" };

/** The access to an object store. The AWS SDK finds absent members by itself (in profile files, from instance roles). */
export interface S3Access {
  readonly endpoint?: string;
  readonly region?: string;
  /**
   * True: addresses have the form `https://host/bucket/key`. False: `https://bucket.host/key`. By default true if an endpoint is
   * set.
   */
  readonly forcePathStyle?: boolean;
  readonly credentials?: {
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
    readonly sessionToken?: string;
  };
}

/**
 * A live stack. Errors are `StackError`: `unauthorized`, `forbidden`, `not-found`, `not-offered`, `rejected` (4xx),
 * `rate-limited`, `unavailable` (5xx), `unreachable`, `protocol` (not a response of this API), `unreadable-record`,
 * `list-incomplete`.
 */
export interface StackClient extends AsyncDisposable {
  readonly identity: StackIdentity;
  /**
   * Lists all records of a kind, each exactly once, and checks their number against the server's own total at the end. Throws
   * `not-offered` if the stack has no such list.
   * @param onGap receives the gap of the list, after all records that the list has. Without `onGap`, a gap throws `list-incomplete`
   */
  list(
    kind: ResourceKind,
    signal?: AbortSignal,
    onGap?: (gap: ListGap) => void,
  ): AsyncIterable<readonly ListedRecord[]>;
  get(kind: ResourceKind, id: string, signal?: AbortSignal): Promise<JsonObject>;
  /** Repeats the request only if the server certainly did not carry it out. Returns the record as stored, ids included. */
  create(kind: ResourceKind, body: JsonObject, signal?: AbortSignal): Promise<JsonObject>;
  update(kind: ResourceKind, id: string, body: JsonObject, options?: WriteRequestOptions): Promise<JsonObject>;
  /** Deletes a record. Succeeds if the record no longer exists. */
  delete(kind: ResourceKind, id: string, options?: WriteRequestOptions): Promise<void>;
  /** Asks whether the stack would accept a create of this body; writes nothing. Throws `not-offered` if the stack cannot tell. */
  validate(kind: ResourceKind, body: JsonObject, signal?: AbortSignal): Promise<ValidationVerdict>;
  /** Runs a chart series query (docs/api.md#series). Only self-hosted stacks offer it; others throw `not-offered`. */
  querySeries(query: SeriesQuery, signal?: AbortSignal): Promise<JsonObject>;
  requestCounts(): RequestCounts;
}

export interface WriteRequestOptions {
  /** Looks at the record right before the write; only for kinds whose records can be read one by one. */
  readonly look?: LookBeforeWrite;
  readonly signal?: AbortSignal;
}

/**
 * Decides whether a write may be sent. The client reads the record before each attempt, the first and every repetition, and sends
 * both requests one right after the other: the read waits until the limits allow both.
 * @param now the record; undefined if it is gone, which only a delete may find
 * @param mayBeWritten true if an earlier attempt of this write got no answer: the server may have carried it out
 * @returns `send`, or `done` if `now` is the result of the attempt without an answer
 * @throws the reason why nothing may be sent
 */
export type LookBeforeWrite = (now: JsonObject | undefined, mayBeWritten: boolean) => "send" | "done";

/** The facts that identify a finished archive. */
export interface ArchiveSummary {
  readonly path: string;
  readonly formatVersion: number;
  readonly contentDigest: string;
  /** Size on disk, in bytes. */
  readonly bytes: number;
  /** The time of the archive that this one has replaced, of the same stack: ISO 8601, UTC. */
  readonly replaced?: string;
  /** For an export as files that people edit: the files that it has added to the folder, and the files that it has changed. */
  readonly files?: {
    readonly added: readonly string[];
    readonly changed: readonly string[];
    readonly unchanged: number;
  };
}

/** Writes one archive. Nothing is visible at the final place before `finish` has returned. */
export interface ArchiveWriter extends AsyncDisposable {
  /**
   * Adds a redacted record, encoded or not. The caller provides a stable order. Ids must be unique within a kind. The caller must
   * not change the bytes afterwards. A later call may throw the error of this write.
   */
  add(record: StackRecord | EncodedRecord): Promise<ManifestEntry>;
  /** Writes the manifest last, flushes to disk and moves the archive into place. */
  finish(header: ManifestHeader): Promise<ArchiveSummary>;
  /** If the writer is disposed of without `finish`, it removes everything that was written. */
}

/** Reads one archive, untrusted input. Errors: `archive-damaged`, `archive-unknown`, `archive-io` (unreadable). */
export interface ArchiveReader extends AsyncDisposable {
  readonly summary: ArchiveSummary;
  readonly manifest: Manifest;
  /**
   * Reads the record from the archive and checks it again, because the archive may have changed since it was opened. Opening the
   * archive has already found files that the manifest does not name, and named files that are missing.
   */
  read(entry: ManifestEntry): Promise<StackRecord>;
}

/** The part of a reader that reads single records. */
export type RecordReader = Pick<ArchiveReader, "manifest" | "read">;

/** Bytes of known length that can be read at any position: in memory, in a file, in an object store. */
export interface ByteSource {
  readonly size: number;
  /** Reads exactly `length` bytes; undefined if the file ends earlier. */
  read(position: number, length: number): Promise<Buffer | undefined>;
  close(): Promise<void>;
}

export interface FileDigest {
  readonly bytes: number;
  /** The checksum in hex. */
  readonly sha256: string;
}

/** The clock, injected so that tests need not wait. */
export interface Clock {
  /** Unix milliseconds. */
  now(): number;
  /** Resolves after `ms` milliseconds; rejects with the signal's reason when the signal is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export interface StoredFile {
  /** The path within the repository, parts separated by `/`. */
  readonly name: string;
  readonly bytes: number;
  /** The time of the last write, Unix milliseconds, by the repository's own clock. */
  readonly modifiedAt: number;
}

/**
 * A place where archives are kept: a folder or a bucket. Errors: `usage` (no such folder or bucket, a name that leaves the
 * repository), `not-found`, `archive-io` (disk full, read-only …), `unauthorized`, `forbidden`, `unreachable`, `unavailable`.
 */
export interface Repository extends AsyncDisposable {
  readonly address: string;
  /** Lists every file whose name begins with the prefix, by name. Until a file is whole, it has a hidden name of its own. */
  list(prefix: string, signal?: AbortSignal): Promise<readonly StoredFile[]>;
  /** Copies a file of the repository to a new private file of this machine. */
  fetch(name: string, localPath: string, signal?: AbortSignal): Promise<void>;
  /** Copies a local file into the repository, whole or not at all, and verifies that it arrived unchanged. */
  put(localPath: string, name: string, signal?: AbortSignal): Promise<void>;
  /** Reads a small file; undefined if there is none. Reads as empty what is no file or much too large. */
  readText(name: string): Promise<string | undefined>;
  /** Writes a small file, whole or not at all. */
  writeText(name: string, text: string): Promise<void>;
  /** Removes a file. Succeeds if the file no longer exists. */
  remove(name: string): Promise<void>;
  /** Returns how far this machine's clock is ahead of the repository's, in milliseconds; below 0 if it is behind. */
  clockAhead(): Promise<number>;
}

/** A record in the archive's form: its line in the manifest, and its file. */
export interface EncodedRecord {
  readonly entry: ManifestEntry;
  readonly bytes: Uint8Array;
}

/** Encodes a record in the archive's form. Throws `protocol` for a record that no reader of this format would accept. */
export type EncodeRecord = (record: StackRecord) => EncodedRecord;

export interface Commit {
  /** Unix milliseconds. */
  readonly at: number;
  readonly message: string;
  /** Folders whose files are all replaced. Files in other folders stay as they are. */
  readonly replaced: readonly string[];
  readonly files: readonly { readonly path: string; readonly text: string }[];
}

/** A folder whose versions are commits. */
export interface CommitFolder {
  /** The values of a trailer in the messages of all commits; undefined if there is no commit yet. */
  trailers(key: string): Promise<readonly string[] | undefined>;
  /**
   * Adds commits on top of the existing ones: all or none. Returns the id of the newest one; undefined if `commits` is empty.
   * @throws StackferryError `usage` if the folder has changes that are not committed
   */
  commit(commits: AsyncIterable<Commit>, signal: AbortSignal | undefined): Promise<string | undefined>;
}
