import type { FileHandle } from "node:fs/promises";
import { StackferryError, errorMessage } from "../domain/errors.ts";
import { archiveIoError, damagedArchive, systemCode, unknownArchive } from "./archive-errors.ts";
import { createDecrypter } from "./archive-keys.ts";
import type { ArchiveKeys } from "./archive-keys.ts";
import type { ArchiveLimits } from "./limits.ts";
import { fileReads } from "./random-access.ts";
import type { RandomReads } from "./random-access.ts";
import { readRange } from "./read-range.ts";
import { spool } from "./spool.ts";
import type { Spooled } from "./spool.ts";

const AGE_LINE = "age-encryption.org/";
const ARMOR_LINE = "-----BEGIN AGE ENCRYPTED FILE-----";
/** A header of more than this could only be there to keep a reader busy. */
const MOST_HEADER_BYTES = 64 * 1024;
/** What the zip's own headers may add to the records: 50,000 entries whose names are as long as they may be, twice. */
const ZIP_OVERHEAD_BYTES = 64 * 1024 * 1024;

/** True for a file in the age format. Throws `archive-unknown` for its armored form, which is never written here. */
export function isEncrypted(path: string, file: RandomReads, size: number): boolean {
  const start = readRange(file, 0, Math.min(size, ARMOR_LINE.length));
  const text = start?.toString("latin1") ?? "";
  if (text.startsWith(AGE_LINE)) return true;
  if (text.startsWith(ARMOR_LINE)) {
    throw unknownArchive("the file is armored age text", "encrypt without --armor, or decrypt it with age first");
  }
  // What is called .age was one before somebody changed its first line.
  if (path.endsWith(".age")) throw damagedArchive(`${path} does not begin as an age file`);
  return false;
}

/**
 * Decrypts all of a file before anybody sees a byte of it: what is authenticated is the whole, to its last byte. Throws
 * `config` where no key was given, `archive-damaged` where none of them opens it or any byte was changed. The two cannot
 * be told apart for certain, as a changed header looks like one that was made for somebody else.
 */
export async function decryptArchive(
  path: string,
  handle: FileHandle,
  size: number,
  keys: ArchiveKeys,
  limits: ArchiveLimits,
): Promise<Spooled> {
  if (keys.identities.length === 0 && keys.passphrases.length === 0) throw keyMissing(path);
  const decrypter = await createDecrypter(keys);
  checkBounds(path, fileReads(handle), size, limits);
  const file = handle.createReadStream({ start: 0, autoClose: false });
  try {
    const plain = await decrypter.decrypt(ReadableStream.from<Uint8Array>(file));
    return await spool(plain, size);
  } catch (error) {
    // A code of the file system's, for instance of a full temporary folder; the library's own errors have none.
    if (/^E[A-Z0-9]+$/.test(systemCode(error) ?? "")) throw archiveIoError("decrypt the archive", path, error);
    throw errorMessage(error).startsWith("no identity matched") ? wrongKey(path) : altered(path);
  } finally {
    file.destroy();
  }
}

function checkBounds(path: string, file: RandomReads, size: number, limits: ArchiveLimits): void {
  const most = limits.maxTotalBytes + limits.maxManifestBytes + ZIP_OVERHEAD_BYTES;
  if (size > most) throw damagedArchive(`${path} is larger than any archive within the limits`);
  const start = readRange(file, 0, Math.min(size, MOST_HEADER_BYTES));
  // The library would look for the header's end in all of the file, and try every key on every stanza before it.
  if (start?.includes("\n--- ") !== true) throw altered(path);
}

function keyMissing(path: string): StackferryError {
  return new StackferryError("config", `${path} is encrypted, and no key was given to open it`, {
    hint: "name an age secret key file with --identity (or STACKFERRY_IDENTITY_FILE), or give the passphrase with --passphrase-file (or STACKFERRY_PASSPHRASE)",
  });
}

function wrongKey(path: string): StackferryError {
  return new StackferryError("archive-damaged", `${path} was encrypted for none of the keys that were given`, {
    hint: "give the key that it was encrypted for; if this is the one, the file was altered: use another copy",
  });
}

function altered(path: string): StackferryError {
  return damagedArchive(`${path} cannot be decrypted: it was cut short or altered`);
}
