import type { RunContext } from "../core/events.ts";
import type { ArchiveReader, Clock, FileDigest, Repository } from "../core/ports.ts";

/** This machine's own record of earlier backups, outside the repository. */
export interface LocalBackupRecord {
  /** Returns when the last good backup of a stack was stored in this repository, ISO 8601; undefined if none is known. */
  lastGoodBackupAt(stack: string): Promise<string | undefined>;
  /** Records the time of a good backup of a stack. Never throws. */
  recordGoodBackup(stack: string, storedAt: string): Promise<void>;
}

export interface BackupContext extends RunContext {
  readonly repository: Repository;
  readonly clock: Clock;
  /** Creates a folder on this machine that only its owner can read. Disposing of it removes the folder with its files. */
  readonly createTemporaryFolder: () => Promise<AsyncDisposable & { readonly path: string }>;
  readonly digestFile: (path: string) => Promise<FileDigest>;
  /** Opens an archive on this machine. Throws `usage`, `config` or `wrong-key` if no given key opens an encrypted archive. */
  readonly openArchive: (path: string) => Promise<ArchiveReader>;
  /** True if `openArchive` refuses an archive without the right signature. The signature is then fetched along with the archive. */
  readonly checksSignature: boolean;
  /**
   * A backup is suspect if a kind has less than this share of the last good backup's records. A kind that has no
   * records any more always makes the backup suspect.
   */
  readonly minShare: number;
  readonly localRecord: LocalBackupRecord;
  /** Returns a new unpredictable text of hex digits, which makes the name of a run's claim on a time unique. */
  readonly createToken: () => string;
}
