import { once } from "node:events";
import { open, rename, rm } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { deflateRawSync } from "node:zlib";
import type { Encrypter } from "age-encryption";
import { ZipArchive } from "archiver";
import { PRIVATE_FILE_MODE, siblingPath, syncDirectory } from "../../files/atomic-write.ts";
import type { EntrySink } from "../entry.ts";
import { RATIO_FREE_BYTES } from "../limits.ts";

export interface ZipSinkOptions {
  readonly path: string;
  /** A reader refuses a larger ratio, so the sink stores such files uncompressed. */
  readonly maxRatio: number;
  readonly encrypter: Encrypter | undefined;
}

/** Level 9 saves less than one percent on recorded responses. */
const LEVEL = 6;

/** A zip's earliest date, so that equal records give equal bytes. */
const DATE = new Date(Date.UTC(1980, 0, 1));

export async function createZipSink({ path, maxRatio, encrypter }: ZipSinkOptions): Promise<EntrySink> {
  const temporary = siblingPath(path, "part");
  const handle = await open(temporary, "wx", PRIVATE_FILE_MODE);
  const file = handle.createWriteStream({ flush: true });
  const zip = new ZipArchive({ zlib: { level: LEVEL } });
  // With encryption, no plain text reaches the disk, not even under a temporary name.
  const written =
    encrypter === undefined ? pipeline(zip, file) : pipeline(zip, (source) => encryptStream(source, encrypter), file);
  const failed = new AbortController();
  written.catch((error: unknown) => failed.abort(error));
  let lastEntry: Promise<unknown> = Promise.resolve();

  return {
    async write(name, bytes) {
      // Waits here and not below, so the zip compresses a file while the caller prepares the next one.
      await lastEntry;
      failed.signal.throwIfAborted();
      lastEntry = once(zip, "entry", { signal: failed.signal }).catch(() => {});
      const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      zip.append(content, {
        name,
        date: DATE,
        mode: PRIVATE_FILE_MODE,
        store: shrinksTooMuch(bytes, maxRatio),
      });
    },
    async finish() {
      await Promise.all([zip.finalize(), written]);
      await rename(temporary, path);
      await syncDirectory(dirname(resolve(path)));
      return file.bytesWritten;
    },
    async discard() {
      zip.destroy();
      await written.catch(() => {});
      await handle.close();
      await rm(temporary, { force: true });
    },
  };
}

function shrinksTooMuch(bytes: Uint8Array, maxRatio: number): boolean {
  return bytes.length > RATIO_FREE_BYTES && bytes.length / deflateRawSync(bytes, { level: LEVEL }).length >= maxRatio;
}

async function* encryptStream(source: AsyncIterable<Uint8Array>, encrypter: Encrypter): AsyncGenerator<Uint8Array> {
  yield* await encrypter.encrypt(ReadableStream.from(source));
}
