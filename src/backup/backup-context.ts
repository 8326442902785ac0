import type { RunContext } from "../core/events.ts";
import type { ArchiveReader, Clock, FileDigest, Repository } from "../core/ports.ts";

/** This machine's memory of good backups, outside the repository. */
export interface LocalBackupRecord {
  /** Returns an ISO 8601 time; undefined if no good backup is known. */
  lastGoodBackupAt(stack: string): Promise<string | undefined>;
  /** Never throws. */
  recordGoodBackup(stack: string, storedAt: string): Promise<void>;
}

export interface BackupContext extends RunContext {
  readonly repository: Repository;
  readonly clock: Clock;
  readonly createTemporaryFolder: () => Promise<AsyncDisposable & { readonly path: string }>;
  readonly digestFile: (path: string) => Promise<FileDigest>;
  /** Throws `usage`, `config` or `wrong-key` if no given key opens an encrypted archive. */
  readonly openArchive: (path: string) => Promise<ArchiveReader>;
  /** True if `openArchive` requires a signature. */
  readonly checksSignature: boolean;
  /** A kind below this share of the last good backup's records makes a backup suspect. */
  readonly minShare: number;
  readonly localRecord: LocalBackupRecord;
  readonly createToken: () => string;
}
