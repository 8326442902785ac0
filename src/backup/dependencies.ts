import type { RunContext } from "../core/events.ts";
import type { ArchiveReader, ByteSource, Clock, FileDigest, ProcessIdentity, Repository } from "../core/ports.ts";
import { CLOCK_TOLERANCE_MS } from "./archive-names.ts";

/** A temporary folder of this machine, which only its owner can read. Disposing of it removes the folder. */
export interface ScratchFolder extends AsyncDisposable {
  /** Returns the path of a new file in the folder, with the given extension. */
  file(ending: string): string;
}

/** Access to files of this machine. The modules in `src/backup` do no file I/O of their own. */
export interface LocalFiles {
  createScratchFolder(): Promise<ScratchFolder>;
  digest(path: string): Promise<FileDigest>;
  /** Reads the first bytes of a file, as Latin-1. */
  readHead(path: string, bytes: number): Promise<string>;
}

/** This machine's own record of earlier backups, outside the repository. */
export interface LocalBackupRecord {
  /** Returns when the last good backup of a stack was stored in this repository, ISO 8601; undefined if none is known. */
  lastGoodBackupAt(stack: string): Promise<string | undefined>;
  /** Records the time of a good backup of a stack. Never throws. */
  recordGoodBackup(stack: string, storedAt: string): Promise<void>;
}

export interface LockOwner extends ProcessIdentity {
  /** Unique for every process. A pid is not: pids are reused, and in a container the pid is always the same. */
  readonly instance: string;
  readonly isAlive: (pid: number) => boolean;
}

export interface BackupDependencies {
  readonly repository: Repository;
  readonly clock: Clock;
  readonly files: LocalFiles;
  /**
   * Opens an archive on this machine; throws `usage` or `config` if the archive is encrypted and its key is not given.
   * @param bytes the bytes of an archive that is read in the repository, without a local copy; `path` is then the archive's name
   * there
   */
  readonly openArchive: (path: string, bytes?: ByteSource) => Promise<ArchiveReader>;
  /** True if `openArchive` refuses an archive without the right signature. The signature is then fetched along with the archive. */
  readonly checksSignature: boolean;
  /** Returns the fingerprint of the key that a signature's text names; undefined for a text that is no signature. */
  readonly signerOf: (signature: string) => string | undefined;
  /** A backup that holds this share of the last good one's records, or less, is suspect; 0 turns this check off. */
  readonly minShare: number;
  readonly localRecord: LocalBackupRecord;
  readonly owner: LockOwner;
  /** Returns a new unpredictable text. A run writes such a text into its lock file, to recognise its own lock. */
  readonly createToken: () => string;
}

/**
 * Returns the adapters with a clock that is set back to the repository's time if this machine's clock is ahead. Otherwise this
 * machine would date an archive in the future, and every retention rule that counts back from the newest archive would remove good
 * archives. Only the owner of the lock may call this function, because reading the clock of a folder writes a file.
 */
export async function withRepositoryClock(dependencies: BackupDependencies, { events }: RunContext) {
  const { repository, clock } = dependencies;
  const ahead = await repository.clockAhead();
  if (ahead <= CLOCK_TOLERANCE_MS) return { dependencies, isAhead: false };
  const minutes = Math.round(ahead / 60_000);
  const message = `this machine's clock is ${minutes} min ahead of the clock of ${repository.address}: backups are dated by the repository's clock, so no backup is removed. Correct the clock that is wrong.`;
  events({ type: "warning", warning: { code: "clock-ahead", message } });
  const corrected = { ...clock, now: () => clock.now() - ahead };
  return { dependencies: { ...dependencies, clock: corrected }, isAhead: true };
}
