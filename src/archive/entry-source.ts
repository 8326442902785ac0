import type { KeptFile } from "./unpack-file.ts";

/** The files of an archive, wherever they are kept. What `openFile` and `openFolder` give, and the reader reads from. */
export interface EntrySource extends AsyncDisposable {
  /** Size of the archive on disk, in bytes; undefined where only the manifest tells. */
  readonly size: number | undefined;
  /** Every file by its path in the archive, with its size in bytes where that is known without reading it. */
  readonly files: ReadonlyMap<string, { readonly uncompressedSize?: number }>;
  /** The whole file, not yet unpacked. Throws `archive-damaged` where it is missing or over `maxBytes`, and never reads further. */
  read(path: string, maxBytes: number): KeptFile;
}
