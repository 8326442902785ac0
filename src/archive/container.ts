export interface EntrySource extends AsyncDisposable {
  /** Size of the archive on disk, in bytes; undefined for a folder, whose size is added up from the manifest. */
  readonly size: number | undefined;
  /** Every file by its path in the archive, with its size in bytes if the container states it. */
  readonly files: ReadonlyMap<string, { readonly uncompressedSize?: number }>;
  /** Returns the unpacked content of a file. Rejects with `archive-damaged` if the file is missing or has more than `maxBytes`. */
  read(path: string, maxBytes: number): Promise<Uint8Array>;
}

/** Writes an archive's files one after another. Nothing is visible at the final path before `finish`. */
export interface EntrySink {
  /** Writes one file. The caller must not change the bytes afterwards. A failure may be reported only by a later call. */
  write(path: string, bytes: Uint8Array): Promise<void>;
  /** Flushes the archive to disk and moves it into place. Returns its size on disk, in bytes. */
  finish(): Promise<number>;
  /** Removes the files of an unfinished archive. Safe to call at any time, and twice. */
  discard(): Promise<void>;
}
