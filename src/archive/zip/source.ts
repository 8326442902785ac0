import { Readable } from "node:stream";
import { Open, type CentralDirectory } from "unzipper";
import { StackferryError } from "../../core/errors.ts";
import { fileError } from "../../files/errors.ts";
import type { ByteSource } from "../../core/ports.ts";
import type { EntrySource } from "../entry.ts";
import { damagedArchiveError } from "../errors.ts";
import type { ArchiveLimits } from "../limits.ts";
import {
  readCheckedContent,
  readCheckedDirectory,
  findZipEnd,
  isFolderPath,
  readStoredBytes,
  type CheckedEntry,
  type ZipEnd,
} from "./safety.ts";

declare module "unzipper" {
  namespace Open {
    /** The types of unzipper lack `tailSize`, the number of bytes from the end record to the zip's end. */
    function custom(
      source: { size: () => Promise<number>; stream: (offset: number) => Readable },
      options: { tailSize: number },
    ): Promise<CentralDirectory>;
  }
}

/** Unpacks nothing to disk. @param zip closed when the result is disposed of; after an error, the caller closes `zip` */
export async function openZip(path: string, zip: ByteSource, limits: ArchiveLimits): Promise<EntrySource> {
  const end = await findZipEnd(zip, limits);
  const provided = new Map<number, Buffer>();
  const { files } = await readDirectory(zip, end, provided);
  const checked = readCheckedDirectory(files, end, limits).filter(({ file }) => !isFolderPath(file.path));
  const entries = new Map(checked.map((entry) => [entry.file.path, entry]));
  return {
    size: zip.size,
    files: entries,
    read: async (name, maxBytes) => {
      try {
        return await unpack(zip, findEntry(entries, name, maxBytes), provided);
      } catch (error) {
        throw fileError("read the archive", path, error);
      }
    },
    [Symbol.asyncDispose]: () => zip.close(),
  };
}

/** @param provided bytes by position, which unzipper reads in place of the file */
async function readDirectory(zip: ByteSource, end: ZipEnd, provided: Map<number, Buffer>): Promise<CentralDirectory> {
  const { directoryStart, directoryBytes } = end;
  const bytes = await zip.read(directoryStart, zip.size - directoryStart);
  if (bytes === undefined) throw damagedArchiveError("the zip was cut short while it was read");
  provided.set(directoryStart, bytes);
  provided.set(directoryStart + directoryBytes, bytes.subarray(directoryBytes));
  const stream = (offset: number): Readable => Readable.from([provided.get(offset) ?? Buffer.alloc(0)]);
  try {
    const tailSize = bytes.length - directoryBytes;
    return await Open.custom({ size: () => Promise.resolve(zip.size), stream }, { tailSize });
  } catch (error) {
    throw damagedArchiveError("the zip's central directory is broken", error);
  } finally {
    provided.clear();
  }
}

async function unpack(zip: ByteSource, entry: CheckedEntry, provided: Map<number, Buffer>): Promise<Buffer> {
  const { file } = entry;
  const offset = file.offsetToLocalFileHeader;
  const stored = await readStoredBytes(zip, entry);
  provided.set(offset, stored);
  const content = file.stream();
  provided.delete(offset);
  // The stream can emit another error after `readCheckedContent` has ended. An error without a listener ends the process.
  content.on("error", () => {});
  try {
    return await readCheckedContent(file, content);
  } catch (error) {
    if (error instanceof StackferryError) throw error;
    throw damagedArchiveError(`entry ${file.path} cannot be unpacked`, error);
  }
}

function findEntry(entries: ReadonlyMap<string, CheckedEntry>, path: string, maxBytes: number): CheckedEntry {
  const entry = entries.get(path);
  if (entry === undefined) throw damagedArchiveError(`entry ${path} is missing`);
  if (entry.uncompressedSize > maxBytes) throw damagedArchiveError(`entry ${path} is over ${maxBytes} bytes`);
  return entry;
}
