import { once } from "node:events";
import { open, rename, rm } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { PassThrough } from "node:stream";
import type { Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { deflateRawSync } from "node:zlib";
import type { Encrypter } from "age-encryption";
import { ZipArchive } from "archiver";
import type { EntrySink } from "./entry-sink.ts";
import { RATIO_FREE_BYTES } from "./limits.ts";
import { syncDirectory } from "./sync-directory.ts";
import { temporaryPath } from "./temporary-path.ts";

/** How a zip is packed. */
export interface ZipSinkOptions {
  readonly path: string;
  /** Of deflate, 0 (none) to 9 (smallest). */
  readonly level: number;
  /** Files over `RATIO_FREE_BYTES` that shrink more than this are stored as they are, since a reader would refuse them. */
  readonly maxRatio: number;
  /** Makes the file one in the age format. */
  readonly encrypter?: Encrypter;
}

/** A zip's first moment. archiver writes it in UTC, so the bytes do not depend on the time zone. */
const EPOCH = new Date(Date.UTC(1980, 0, 1));
const MODE = 0o600;

/** A zip in the making, in a temporary file next to `path` that takes its place in `finish`. */
export async function zipSink({ path, level, maxRatio, encrypter }: ZipSinkOptions): Promise<EntrySink> {
  const temporary = temporaryPath(path, "new");
  // "wx" neither follows a link nor opens what somebody else put there.
  const handle = await open(temporary, "wx", MODE);
  const archive = new ZipArchive({ zlib: { level } });
  const file = handle.createWriteStream({ flush: true });
  const { first, written } = flow(archive, file, encrypter);
  const failed = new AbortController();
  written.catch((error: unknown) => failed.abort(error));

  /** Waits for an event, or for the failure after which it would never come. */
  const event = async (emitter: NodeJS.EventEmitter, name: string): Promise<void> => {
    try {
      await once(emitter, name, { signal: failed.signal });
    } catch (error) {
      throw failed.signal.aborted ? failed.signal.reason : error;
    }
  };

  return {
    async write(name, bytes) {
      const store = level === 0 || shrinksTooMuch(bytes, level, maxRatio);
      const taken = event(archive, "entry");
      if (!failed.signal.aborted) archive.append(asBuffer(bytes), { name, date: EPOCH, mode: MODE, store });
      await taken;
      // archiver takes in stored files whatever the speed of the disk; without this wait they would pile up in memory.
      if (first.writableNeedDrain) await event(first, "drain");
    },
    async finish() {
      await Promise.all([archive.finalize(), written]);
      await rename(temporary, path);
      await syncDirectory(dirname(resolve(path)));
      return file.bytesWritten;
    },
    async discard() {
      archive.destroy();
      await written.catch(() => {});
      await handle.close();
      await rm(temporary, { force: true });
    },
  };
}

interface Flow {
  /** What takes in the zip, and has to be waited for while it is full. */
  readonly first: Writable;
  readonly written: Promise<void>;
}

/** Encrypts on the way: nothing in clear reaches the disk, not even under a temporary name. */
function flow(archive: ZipArchive, file: Writable, encrypter: Encrypter | undefined): Flow {
  if (encrypter === undefined) return { first: file, written: pipeline(archive, file) };
  const first = new PassThrough();
  return { first, written: pipeline(archive, first, encryptionWith(encrypter), file) };
}

function encryptionWith(encrypter: Encrypter): (source: AsyncIterable<Uint8Array>) => AsyncGenerator<Uint8Array> {
  return async function* encrypt(source) {
    yield* await encrypter.encrypt(ReadableStream.from(source));
  };
}

function shrinksTooMuch(bytes: Uint8Array, level: number, maxRatio: number): boolean {
  return bytes.length > RATIO_FREE_BYTES && bytes.length / deflateRawSync(bytes, { level }).length >= maxRatio;
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}
