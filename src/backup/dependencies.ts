import type { ArchiveReader, Clock, Repository } from "../core/ports.ts";

/** A private folder of this machine. Dispose of it to remove it. */
export interface Scratch extends AsyncDisposable {
  /** The path of a new file in it, with that ending. */
  file(ending: string): string;
}

/** Files of this machine. This room does no I/O of its own. */
export interface LocalFiles {
  scratch(): Promise<Scratch>;
  digest(path: string): Promise<{ readonly bytes: number; readonly sha256: string }>;
  /** The first bytes of a file, as Latin-1. */
  head(path: string, bytes: number): Promise<string>;
}

/** What is known of earlier backups from elsewhere than the repository. */
export interface KnownBackups {
  /** When the last good backup of a stack was stored in this repository, ISO 8601; undefined where none is known. */
  storedAt(stack: string): Promise<string | undefined>;
  /** Never throws. */
  note(stack: string, storedAt: string): Promise<void>;
}

/** The process that takes a lock. */
export interface LockOwner {
  readonly host: string;
  readonly pid: number;
  /** Unique for every process: a pid is used again, and in a container it is always the same. */
  readonly instance: string;
  /** Whether a process of this machine runs. */
  readonly isAlive: (pid: number) => boolean;
}

/** The adapters that backups need. */
export interface BackupDependencies {
  readonly repository: Repository;
  readonly clock: Clock;
  readonly files: LocalFiles;
  /** Opens an archive of this machine; throws `usage` or `config` for an encrypted one whose key is not given. */
  readonly openArchive: (path: string) => Promise<ArchiveReader>;
  /** `openArchive` refuses an archive without the right signature, so the signature has to be fetched with it. */
  readonly checksSignature: boolean;
  /** A backup that holds this share of the last good one's records, or less, is suspect; 0: none is for that. */
  readonly minShare: number;
  readonly known: KnownBackups;
  readonly owner: LockOwner;
  /** An unpredictable text. */
  readonly token: () => string;
}
