import type { JsonObject, JsonValue } from "./json.ts";
import type { Manifest, ManifestEntry, ManifestHeader } from "./manifest.ts";
import type { StackIdentity, StackRecord } from "./record.ts";
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

/**
 * A live stack. Errors are `StackError`: `unauthorized`, `forbidden`, `not-found`, `not-offered`, `rejected` (4xx),
 * `rate-limited`, `unavailable` (5xx), `unreachable`, `protocol` (an answer that is not of this API), `list-incomplete`.
 */
export interface StackClient extends AsyncDisposable {
  readonly identity: StackIdentity;
  /**
   * All records of a kind, page by page, each exactly once, counted against the server's own total at the end.
   * Records are what the server sent, not yet validated. Throws `not-offered` where the stack has no such list.
   */
  list(kind: ResourceKind, signal?: AbortSignal): AsyncIterable<readonly JsonValue[]>;
  get(kind: ResourceKind, id: string, signal?: AbortSignal): Promise<JsonObject>;
  /** Sends one try only, unless it surely was not applied. Answers the record as stored, ids included. */
  create(kind: ResourceKind, body: JsonObject, signal?: AbortSignal): Promise<JsonObject>;
  update(kind: ResourceKind, id: string, body: JsonObject, signal?: AbortSignal): Promise<JsonObject>;
  /** Deleting what is gone already is success. */
  delete(kind: ResourceKind, id: string, signal?: AbortSignal): Promise<void>;
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
  /** Adds a record that has been redacted. The caller sees to a stable order. Ids must be unique within a kind. */
  add(record: StackRecord): Promise<ManifestEntry>;
  /** Writes the manifest last, flushes to disk and moves the archive into place. */
  finish(header: ManifestHeader): Promise<ArchiveSummary>;
  /** `Symbol.asyncDispose` without `finish` removes whatever was written. */
}

/** Reads one archive; an archive is untrusted input. Errors: `archive-damaged`, `archive-unknown`, `archive-io`. */
export interface ArchiveReader extends AsyncDisposable {
  readonly summary: ArchiveSummary;
  readonly manifest: Manifest;
  /** Files in the archive that the manifest does not name, and the other way round, are found on opening. */
  read(entry: ManifestEntry): Promise<StackRecord>;
  /** Every record, in the manifest's order, each checked against its checksum. */
  records(): AsyncIterable<StackRecord>;
}

/** Time, so that tests need not wait for it. */
export interface Clock {
  /** Unix milliseconds. */
  now(): number;
  /** Resolves after `ms`; rejects with the signal's reason when aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}
