/** The files of an archive that is read, wherever they are kept. */
export interface EntrySource extends AsyncDisposable {
  /** Size of the archive on disk, in bytes; undefined where only the manifest knows it. */
  readonly size: number | undefined;
  /** Every file by its path in the archive, with its size in bytes where that is known without reading it. */
  readonly files: ReadonlyMap<string, { readonly uncompressedSize?: number }>;
  /** The whole file, unpacked. Rejects with `archive-damaged` where it is missing or over `maxBytes`, and never reads further. */
  read(path: string, maxBytes: number): Promise<Uint8Array>;
}

/** Where the writer puts an archive's files, one after another. Nothing is visible at the final path before `finish`. */
export interface EntrySink {
  /** Takes in one file; resolves when its bytes need not be kept any longer. */
  write(path: string, bytes: Uint8Array): Promise<void>;
  /** Flushes everything to disk and moves it into place. Gives the size on disk, in bytes. */
  finish(): Promise<number>;
  /** Removes whatever is left of an archive that was not finished. Safe to call at any time, and twice. */
  discard(): Promise<void>;
}
