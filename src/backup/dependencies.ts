import type { ArchiveReader, Clock, Repository } from "../core/ports.ts";

/** A private folder of this machine, gone when it is disposed of. */
export interface Scratch extends AsyncDisposable {
  /** The path of a new file in it, with that ending. */
  file(ending: string): string;
}

/** Files of this machine: jobs do no I/O of their own. */
export interface LocalFiles {
  scratch(): Promise<Scratch>;
  digest(path: string): Promise<{ readonly bytes: number; readonly sha256: string }>;
  /** The first bytes of a file, as Latin-1. */
  head(path: string, bytes: number): Promise<string>;
}

/** Who holds a lock. */
export interface LockOwner {
  readonly host: string;
  readonly pid: number;
  /** Different for every process that ever ran, as numbers are used again (in a container, always the same one). */
  readonly instance: string;
  /** Whether a process of this machine runs. */
  readonly isAlive: (pid: number) => boolean;
}

/** What backups are kept and looked after with. */
export interface BackupDependencies {
  readonly repository: Repository;
  readonly clock: Clock;
  readonly files: LocalFiles;
  /** Opens an archive of this machine; throws `usage` or `config` for an encrypted one whose key is not given. */
  readonly openArchive: (path: string) => Promise<ArchiveReader>;
  readonly owner: LockOwner;
  /** A text that nobody can foresee. */
  readonly token: () => string;
}
