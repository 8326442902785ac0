import { once } from "node:events";
import { open, rename, rm } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { deflateRawSync } from "node:zlib";
import type { Encrypter } from "age-encryption";
import { ZipArchive } from "archiver";
import { PRIVATE_FILE, siblingPath, syncDirectory } from "../../files/atomic-write.ts";
import type { EntrySink } from "../container.ts";
import { RATIO_FREE_BYTES } from "../limits.ts";

/** Where a zip goes, and how it is packed. */
export interface ZipSinkOptions {
  readonly path: string;
  /** Of deflate, 0 (none) to 9 (smallest). */
  readonly level: number;
  /** What is over `RATIO_FREE_BYTES` and shrinks more than this is stored as it is, since a reader would refuse it. */
  readonly maxRatio: number;
  /** Makes the file one in the age format. */
  readonly encrypter: Encrypter | undefined;
}

/** A zip's first moment, so that equal records give equal bytes. */
const DATE = new Date(Date.UTC(1980, 0, 1));

/** A zip in the making, in a temporary file next to `path` that takes its place in `finish`. */
export async function zipSink({ path, level, maxRatio, encrypter }: ZipSinkOptions): Promise<EntrySink> {
  const temporary = siblingPath(path, "part");
  // "wx" neither follows a link nor opens what somebody else put there.
  const handle = await open(temporary, "wx", PRIVATE_FILE);
  const file = handle.createWriteStream({ flush: true });
  const zip = new ZipArchive({ zlib: { level } });
  // Nothing in clear reaches the disk where it is encrypted, not even under a temporary name.
  const written =
    encrypter === undefined ? pipeline(zip, file) : pipeline(zip, (source) => encrypted(source, encrypter), file);
  const failed = new AbortController();
  written.catch((error: unknown) => failed.abort(error));

  return {
    async write(name, bytes) {
      failed.signal.throwIfAborted();
      const taken = once(zip, "entry", { signal: failed.signal });
      const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      zip.append(content, {
        name,
        date: DATE,
        mode: PRIVATE_FILE,
        store: level === 0 || shrinksTooMuch(bytes, level, maxRatio),
      });
      try {
        await taken;
      } catch (error) {
        throw failed.signal.aborted ? failed.signal.reason : error;
      }
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

/** Found out by packing it once more than needed, which only large files are. */
function shrinksTooMuch(bytes: Uint8Array, level: number, maxRatio: number): boolean {
  return bytes.length > RATIO_FREE_BYTES && bytes.length / deflateRawSync(bytes, { level }).length >= maxRatio;
}

async function* encrypted(source: AsyncIterable<Uint8Array>, encrypter: Encrypter): AsyncGenerator<Uint8Array> {
  yield* await encrypter.encrypt(ReadableStream.from(source));
}
