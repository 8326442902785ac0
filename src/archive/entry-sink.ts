import type { PackedBytes } from "../domain/encoded-record.ts";

/** Where the writer puts an archive's files, one after another. Nothing is visible at the final place before `finish`. */
export interface EntrySink {
  /** Takes in one file; resolves when its bytes need not be kept any longer. */
  write(path: string, file: PackedBytes): Promise<void>;
  /** Flushes everything to disk and moves it into place. Gives the size on disk, in bytes. */
  finish(): Promise<number>;
  /** Removes whatever is left of an archive that was not finished. Safe to call at any time, and twice. */
  discard(): Promise<void>;
}
