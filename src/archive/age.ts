import { open, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import type { Decrypter, Encrypter } from "age-encryption";
import { byCodeUnit } from "../core/collections.ts";
import { AGE_FIRST_LINE, ENCRYPTED_FOR_PASSPHRASE } from "../core/manifest.ts";
import { StackferryError, errorMessage } from "../core/errors.ts";
import { fileError, systemErrorCode } from "../files/errors.ts";
import type { ByteSource } from "../core/ports.ts";
import { PRIVATE_FILE_MODE } from "../files/atomic-write.ts";
import { fileSource, readRange } from "../files/regular-file.ts";
import { createTemporaryFolder } from "../files/temporary-folder.ts";
import { sha256 } from "./entry.ts";
import { damagedArchiveError, unknownArchiveError } from "./errors.ts";
import type { ArchiveLimits } from "./limits.ts";

/** The age format does not allow public keys and a passphrase together. */
export type ArchiveEncryption = { readonly recipients: readonly string[] } | PassphraseEncryption;

interface PassphraseEncryption {
  readonly passphrase: string;
  /** Base-2 logarithm of scrypt's work factor; 18 by default. */
  readonly workFactor?: number;
}

export function readersDigest(encryption: ArchiveEncryption): string {
  if ("passphrase" in encryption) return ENCRYPTED_FOR_PASSPHRASE;
  const recipients = [...new Set(encryption.recipients)].toSorted(byCodeUnit);
  return sha256(JSON.stringify(recipients));
}

export interface ArchiveKeys {
  readonly identities: readonly string[];
  readonly passphrases: readonly string[];
}

export type KeySource = () => Promise<ArchiveKeys>;

/** A recipient takes up to 2,000 bytes of the age header, and readers refuse a header over 64 KiB. */
const MAX_RECIPIENTS = 20;

/** Errors quote no recipient, because it could be a secret key. @throws StackferryError `usage` */
export async function createEncrypter(encryption: ArchiveEncryption): Promise<Encrypter> {
  // Loaded on demand, because most archives are not encrypted.
  const age = await import("age-encryption");
  const encrypter = new age.Encrypter();
  if ("passphrase" in encryption) {
    encrypter.setPassphrase(encryption.passphrase);
    if (encryption.workFactor !== undefined) encrypter.setScryptWorkFactor(encryption.workFactor);
    return encrypter;
  }
  const { recipients } = encryption;
  if (recipients.length === 0 || recipients.length > MAX_RECIPIENTS) {
    throw new StackferryError("usage", `an archive can be encrypted for 1 to ${MAX_RECIPIENTS} recipients`);
  }
  for (const [index, recipient] of recipients.entries()) {
    try {
      encrypter.addRecipient(recipient);
    } catch {
      throw wrongRecipient(recipient, index);
    }
  }
  return encrypter;
}

/** @throws StackferryError `config` for an invalid age secret key */
export async function createDecrypter({ identities, passphrases }: ArchiveKeys): Promise<Decrypter> {
  const age = await import("age-encryption");
  const decrypter = new age.Decrypter();
  for (const [index, identity] of identities.entries()) {
    try {
      decrypter.addIdentity(identity);
    } catch {
      // Drops the error of the age library, which can contain the key.
      throw new StackferryError("config", `the age secret key number ${index + 1} is mistyped or cut short`, {
        hint: "age-keygen writes keys that begin with AGE-SECRET-KEY-1",
      });
    }
  }
  for (const passphrase of passphrases) decrypter.addPassphrase(passphrase);
  return decrypter;
}

function wrongRecipient(recipient: string, index: number): StackferryError {
  const hint = /^AGE-SECRET-KEY-/i.test(recipient)
    ? "this is a secret key, and other users can see command lines: make a new key pair, and give its public key (age1…)"
    : "a recipient is a public key of age-keygen, age1…";
  return new StackferryError("usage", `recipient number ${index + 1} is not an age recipient`, { hint });
}

const ARMOR_LINE = "-----BEGIN AGE ENCRYPTED FILE-----";
const MAX_HEADER_BYTES = 64 * 1024;
/** Upper bound for the zip's own headers: 50,000 entries, each with two copies of the longest path. */
const ZIP_OVERHEAD_BYTES = 64 * 1024 * 1024;

/** @throws StackferryError `archive-unknown` for armored age text; `archive-damaged` if only the file name says `.age` */
export async function isEncrypted(path: string, handle: FileHandle, size: number): Promise<boolean> {
  const start = await readRange(handle, 0, Math.min(size, ARMOR_LINE.length));
  const text = start?.toString("latin1") ?? "";
  if (text.startsWith(AGE_FIRST_LINE)) return true;
  if (text.startsWith(ARMOR_LINE)) {
    throw unknownArchiveError("the file is armored age text", "encrypt without --armor, or decrypt it with age first");
  }
  if (path.endsWith(".age")) throw damagedArchiveError(`${path} does not begin as an age file`);
  return false;
}

/**
 * Decrypts the whole file before the zip is read, because the file's end proves that nothing was cut.
 * @throws StackferryError `config` without a valid key; `wrong-key`, also for a changed header; `archive-damaged`; `archive-io`
 */
export async function decryptArchive(
  path: string,
  handle: FileHandle,
  size: number,
  keys: ArchiveKeys,
  limits: ArchiveLimits,
): Promise<ByteSource> {
  if (keys.identities.length === 0 && keys.passphrases.length === 0) throw keyMissing(path);
  const decrypter = await createDecrypter(keys);
  await checkBounds(path, handle, size, limits);
  const file = handle.createReadStream({ start: 0, autoClose: false });
  try {
    const plain = await decrypter.decrypt(ReadableStream.from<Uint8Array>(file));
    return await bufferStream(plain, size);
  } catch (error) {
    // Errors of the file system have a code; errors of the age library have none.
    if (/^E[A-Z0-9]+$/.test(systemErrorCode(error) ?? "")) throw fileError("decrypt the archive", path, error);
    throw errorMessage(error).startsWith("no identity matched") ? wrongKey(path) : alteredFileError(path);
  } finally {
    file.destroy();
  }
}

const MAX_IN_MEMORY = 32 * 1024 * 1024;

export async function bufferStream(source: AsyncIterable<Uint8Array>, atMost: number): Promise<ByteSource> {
  return atMost <= MAX_IN_MEMORY ? toMemory(source, atMost) : toTempFile(source);
}

async function toMemory(source: AsyncIterable<Uint8Array>, atMost: number): Promise<ByteSource> {
  const bytes = Buffer.alloc(atMost);
  let size = 0;
  for await (const chunk of source) {
    bytes.set(chunk, size);
    size += chunk.length;
  }
  return memorySource(bytes.subarray(0, size));
}

/**
 * Removes the file's name before the first write, so a killed process leaves no file. On Windows, `close` removes the name.
 */
async function toTempFile(source: AsyncIterable<Uint8Array>): Promise<ByteSource> {
  const folder = await createTemporaryFolder();
  const remove = async (): Promise<void> => folder[Symbol.asyncDispose]();
  const handle = await open(join(folder.path, "archive"), "wx+", PRIVATE_FILE_MODE).catch(async (error: unknown) => {
    await remove();
    throw error;
  });
  const close = (): Promise<void> => handle.close().finally(remove);
  try {
    await remove().catch(() => {});
    for await (const chunk of source) await handle.writeFile(chunk);
    return fileSource(handle, (await handle.stat()).size, close);
  } catch (error) {
    await close();
    throw error;
  }
}

export function memorySource(bytes: Uint8Array): ByteSource {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return {
    size: buffer.length,
    read: async (position, length) =>
      position + length > buffer.length ? undefined : buffer.subarray(position, position + length),
    close: async () => {},
  };
}

async function checkBounds(path: string, handle: FileHandle, size: number, limits: ArchiveLimits): Promise<void> {
  const most = limits.maxTotalBytes + limits.maxManifestBytes + ZIP_OVERHEAD_BYTES;
  if (size > most) throw damagedArchiveError(`${path} is larger than any archive within the limits`);
  const start = await readRange(handle, 0, Math.min(size, MAX_HEADER_BYTES));
  // Refuses an endless header: the age library would search the whole file, and try every key on every stanza.
  if (start?.includes("\n--- ") !== true) throw alteredFileError(path);
}

function keyMissing(path: string): StackferryError {
  return new StackferryError("config", `${path} is encrypted, and no key was given to decrypt it`, {
    hint: "name an age secret key file with --identity (or STACKFERRY_IDENTITY_FILE), or give the passphrase with --passphrase-file (or STACKFERRY_PASSPHRASE)",
  });
}

function wrongKey(path: string): StackferryError {
  return new StackferryError("wrong-key", `${path} cannot be opened with any of the given keys`, {
    hint: "give the right key; if this is the right one, the file was altered: use another copy",
  });
}

function alteredFileError(path: string): StackferryError {
  return damagedArchiveError(`${path} cannot be decrypted: the file was cut short or altered`);
}
