import { once } from "node:events";
import { open, rename, rm } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { PassThrough } from "node:stream";
import type { Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Encrypter } from "age-encryption";
import { Zip } from "fflate";
import type { ZipInputFile } from "fflate";
import type { PackedBytes } from "../domain/encoded-record.ts";
import type { EntrySink } from "./entry-sink.ts";
import { syncDirectory } from "./sync-directory.ts";
import { temporaryPath } from "./temporary-path.ts";

/** Where a zip goes. */
export interface ZipSinkOptions {
  readonly path: string;
  /** Makes the file one in the age format. */
  readonly encrypter?: Encrypter;
}

const MODE = 0o600;
const REGULAR_FILE = 0o100_000;
const UNIX = 3;
const DEFLATE = 8;

/** A zip in the making, in a temporary file next to `path` that takes its place in `finish`. */
export async function zipSink({ path, encrypter }: ZipSinkOptions): Promise<EntrySink> {
  const temporary = temporaryPath(path, "new");
  // "wx" neither follows a link nor opens what somebody else put there.
  const handle = await open(temporary, "wx", MODE);
  const file = handle.createWriteStream({ flush: true });
  const { first, written } = flow(file, encrypter);
  const failed = new AbortController();
  written.catch((error: unknown) => failed.abort(error));
  const zip = new Zip((error, chunk) => {
    if (error) throw error;
    first.write(chunk);
  });

  /** Waits until the disk has caught up, or for the failure after which it never would. */
  const drained = async (): Promise<void> => {
    try {
      failed.signal.throwIfAborted();
      if (first.writableNeedDrain) await once(first, "drain", { signal: failed.signal });
    } catch (error) {
      throw failed.signal.aborted ? failed.signal.reason : error;
    }
  };

  return {
    async write(name, packed) {
      const entry = entryOf(name, packed);
      zip.add(entry);
      if (entry.ondata === undefined) throw new Error("the zip takes no data");
      entry.ondata(null, packed.data, true);
      await drained();
    },
    async finish() {
      zip.end();
      first.end();
      await written;
      await rename(temporary, path);
      await syncDirectory(dirname(resolve(path)));
      return file.bytesWritten;
    },
    async discard() {
      first.destroy();
      await written.catch(() => {});
      await handle.close();
      await rm(temporary, { force: true });
    },
  };
}

function entryOf(filename: string, { crc32, size }: PackedBytes): ZipInputFile {
  const attrs = (REGULAR_FILE | MODE) << 16;
  // A zip's first moment. Zips keep local time, so that this is the same bytes in every zone.
  const mtime = new Date(1980, 0, 1);
  return { filename, size, crc: crc32, compression: DEFLATE, mtime, os: UNIX, attrs };
}

interface Flow {
  /** What takes in the zip, and has to be waited for while it is full. */
  readonly first: Writable;
  readonly written: Promise<void>;
}

/** Encrypts on the way: nothing in clear reaches the disk, not even under a temporary name. */
function flow(file: Writable, encrypter: Encrypter | undefined): Flow {
  const first = new PassThrough();
  if (encrypter === undefined) return { first, written: pipeline(first, file) };
  return { first, written: pipeline(first, encryptionWith(encrypter), file) };
}

function encryptionWith(encrypter: Encrypter): (source: AsyncIterable<Uint8Array>) => AsyncGenerator<Uint8Array> {
  return async function* encrypt(source) {
    yield* await encrypter.encrypt(ReadableStream.from(source));
  };
}
