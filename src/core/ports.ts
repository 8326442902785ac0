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

/** A stack's answer to a create that the stack only validates (docs/api.md#routes). */
export interface ValidationVerdict {
  readonly valid: boolean;
  /** `path`: the dotted path to the faulty member, such as `tiles.0.w`. Empty if the error is about a referenced record. */
  readonly errors: readonly { readonly path: string; readonly message: string }[];
  /** The body as a create would store it. Members that are missing here would be dropped. */
  readonly normalized?: JsonObject;
}

/** A record of a list, as the server sent it. Not validated against the kind's schema. */
export interface ListedRecord {
  readonly value: JsonValue;
  /** Length of the record's JSON in characters, as the server sent it. */
  readonly size?: number;
  /** Set if JavaScript cannot represent a number of the record. The message does not contain the number. */
  readonly problem?: string;
}

/** The records that a list does not show (docs/api.md#lists). */
export interface ListGap {
  /** Number of records that the server counts but does not list. */
  readonly hidden: number;
  /** The ids of the hidden records that the server names. */
  readonly ids: readonly string[];
  /** True if records were deleted during the last attempt to read the list. The list may then lack other records. */
  readonly isChanging: boolean;
}

/** The proxy variables, as the caller read them from the environment. */
export interface ProxyEnv {
  readonly http_proxy?: string;
  readonly https_proxy?: string;
  readonly no_proxy?: string;
}

/** A Personal API Access Key (self-hosted), or a cloud API key (managed). */
export type StackCredential = { readonly apiKey: string } | { readonly keyId: string; readonly keySecret: string };

/**
 * A header of every request to a stack, for a gateway in front of the stack. Neither outputs nor archives may contain
 * the value of a secret header.
 */
export interface RequestHeader {
  readonly name: string;
  readonly value: string;
  readonly isSecret: boolean;
}

/** A client certificate for a gateway in front of the stack, and its private key. Both are PEM texts. */
export interface ClientCertificate {
  readonly certificate: string;
  readonly key: string;
  /** The passphrase of an encrypted key. */
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

/** The access to an object store. The AWS SDK looks for absent members in profile files and instance roles. */
export interface S3Access {
  readonly endpoint?: string;
  readonly region?: string;
  /** True: `https://host/bucket/key`. False: `https://bucket.host/key`. Default: true if `endpoint` is set. */
  readonly forcePathStyle?: boolean;
  readonly credentials?: {
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
    readonly sessionToken?: string;
  };
}

/**
 * A live stack. Errors are `StackError`: `unauthorized`, `forbidden`, `not-found`, `not-offered`, `rejected` (other
 * 4xx), `rate-limited`, `unavailable` (5xx, 408), `unreachable`, `protocol` (not a response of this API),
 * `unreadable-record`, `list-incomplete`. An aborted signal gives a StackferryError `interrupted`.
 */
export interface StackClient extends AsyncDisposable {
  readonly identity: StackIdentity;
  /**
   * Lists all records of a kind, each once, and compares their number with the server's total.
   * @param onGap receives the list's gap after the last record. Without `onGap`, a gap throws `list-incomplete`
   * @throws StackError `not-offered` if the stack has no such list
   */
  list(
    kind: ResourceKind,
    signal?: AbortSignal,
    onGap?: (gap: ListGap) => void,
  ): AsyncIterable<readonly ListedRecord[]>;
  get(kind: ResourceKind, id: string, signal?: AbortSignal): Promise<JsonObject>;
  /** Repeats the request only if the server certainly did not carry out the create. Returns the stored record with its ids. */
  create(kind: ResourceKind, body: JsonObject, signal?: AbortSignal): Promise<JsonObject>;
  update(kind: ResourceKind, id: string, body: JsonObject, options?: WriteRequestOptions): Promise<JsonObject>;
  /** Deletes a record. Succeeds if there is no such record. */
  delete(kind: ResourceKind, id: string, options?: WriteRequestOptions): Promise<void>;
  /** Asks the stack whether it would accept a create of this body. Writes nothing. Throws `not-offered` if the stack cannot tell. */
  validate(kind: ResourceKind, body: JsonObject, signal?: AbortSignal): Promise<ValidationVerdict>;
  /** Runs a chart series query (docs/api.md#series). Throws `not-offered` for a managed stack. */
  querySeries(query: SeriesQuery, signal?: AbortSignal): Promise<JsonObject>;
  requestCounts(): RequestCounts;
}

export interface WriteRequestOptions {
  /** Checks the record right before the write. Only for kinds with a route that reads a single record. */
  readonly look?: LookBeforeWrite;
  readonly signal?: AbortSignal;
}

/**
 * Decides whether a write may be sent. The client reads the record before each attempt, repetitions included, and sends
 * the write right after this read.
 * @param now the record; undefined for a delete of a record that no longer exists
 * @param mayBeWritten true if an earlier attempt got no answer, so that the server may have carried out the write
 * @returns `send`, or `done` if `now` is the result of the unanswered attempt
 * @throws the reason why nothing may be sent
 */
export type LookBeforeWrite = (now: JsonObject | undefined, mayBeWritten: boolean) => "send" | "done";

/** Identifies a finished archive. */
export interface ArchiveSummary {
  readonly path: string;
  readonly formatVersion: number;
  readonly contentDigest: string;
  /** Size on disk, in bytes. */
  readonly bytes: number;
  /** When the archive that the new archive replaced was exported: ISO 8601, UTC. */
  readonly replaced?: string;
  /** For an export as code files: the files that the export added to the folder, changed, or left as they were. */
  readonly files?: {
    readonly added: readonly string[];
    readonly changed: readonly string[];
    readonly unchanged: number;
  };
}

/**
 * Writes one archive. Nothing is visible at the final place before `finish` returns. Disposal without `finish` removes
 * everything that was written.
 */
export interface ArchiveWriter extends AsyncDisposable {
  /**
   * Adds a redacted record, encoded or not. The archive has the records in the order of the calls. Ids must be unique
   * within a kind. The caller must not change the bytes afterwards. A later call may throw the error of this write.
   */
  add(record: StackRecord | EncodedRecord): Promise<ManifestEntry>;
  /** Writes the manifest last, flushes to disk and moves the archive into place. */
  finish(header: ManifestHeader): Promise<ArchiveSummary>;
}

/** Reads one archive, which is untrusted input. Errors: `archive-damaged`, `archive-unknown`, `archive-io` (unreadable). */
export interface ArchiveReader extends AsyncDisposable {
  readonly summary: ArchiveSummary;
  readonly manifest: Manifest;
  /** Reads a record and compares it with its checksum, because the archive may have changed since it was opened. */
  read(entry: ManifestEntry): Promise<StackRecord>;
}

export type RecordReader = Pick<ArchiveReader, "manifest" | "read">;

/** Bytes of known length that can be read at any position: in memory, in a file, in an object store. */
export interface ByteSource {
  readonly size: number;
  /** Reads exactly `length` bytes; undefined if the source ends earlier. */
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
  /** The path within the repository, with `/` as separator. */
  readonly name: string;
  readonly bytes: number;
  /** Time of the last write by the repository's clock, Unix milliseconds. */
  readonly modifiedAt: number;
}

/**
 * A place where archives are kept: a folder or a bucket. Errors: `usage` (no such folder or bucket, a name that leaves the
 * repository), `not-found`, `archive-io` (disk full, read-only …), `unauthorized`, `forbidden`, `unreachable`, `unavailable`.
 */
export interface Repository extends AsyncDisposable {
  readonly address: string;
  /** Lists every file whose name begins with the prefix, sorted by name. */
  list(prefix: string, signal?: AbortSignal): Promise<readonly StoredFile[]>;
  /** Copies a file of the repository to a new private file of this machine. */
  fetch(name: string, localPath: string, signal?: AbortSignal): Promise<void>;
  /** Copies a local file into the repository, as a whole or not at all, and verifies the copy. */
  put(localPath: string, name: string, signal?: AbortSignal): Promise<void>;
  /** Reads a small file; undefined if there is none. Returns an empty text for a file that is too large or not a regular file. */
  readText(name: string): Promise<string | undefined>;
  /** Writes a small file, as a whole or not at all. */
  writeText(name: string, text: string): Promise<void>;
  /** Removes a file. Succeeds if there is no such file. */
  remove(name: string): Promise<void>;
  /** Returns how many milliseconds this machine's clock is ahead of the repository's; negative if it is behind. */
  clockAhead(): Promise<number>;
}

/** A record in the archive's form: its entry in the manifest, and the bytes of its file. */
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
  /** Folders whose earlier files are removed before `files` are written. In other folders, earlier files stay. */
  readonly replaced: readonly string[];
  readonly files: readonly { readonly path: string; readonly text: string }[];
}

/** A folder whose versions are commits. */
export interface CommitFolder {
  /** Returns the values of a trailer in all commit messages; undefined if there is no commit yet. */
  trailers(key: string): Promise<readonly string[] | undefined>;
  /**
   * Adds commits on top of the existing ones: all or none. Returns the id of the newest commit; undefined if `commits` is empty.
   * @throws StackferryError `usage` if the folder has uncommitted changes
   */
  commit(commits: AsyncIterable<Commit>, signal: AbortSignal | undefined): Promise<string | undefined>;
}
