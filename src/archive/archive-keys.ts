import type { Decrypter, Encrypter } from "age-encryption";
import { StackferryError } from "../domain/errors.ts";

/** For whom an archive is encrypted: the holders of some keys, or those who know a passphrase. age does not mix the two. */
export type ArchiveEncryption = { readonly recipients: readonly string[] } | PassphraseEncryption;

interface PassphraseEncryption {
  readonly passphrase: string;
  /** Base-2 logarithm of scrypt's work factor; 18 unless told, as with the age program. Less is for tests only. */
  readonly workFactor?: number;
}

/** What encrypted archives are opened with; all are tried. */
export interface ArchiveKeys {
  /** `AGE-SECRET-KEY-1…` */
  readonly identities: readonly string[];
  readonly passphrases: readonly string[];
}

/** Where they come from, asked only when there is something to open. */
export type KeySource = () => Promise<ArchiveKeys>;

/** Each takes about 110 bytes of the header, a post-quantum one 2,000; a reader looks at the first 64 KiB. */
const MOST_RECIPIENTS = 20;

/** @throws StackferryError `usage` for what is no recipient; the text is not repeated, it may be a secret key. */
export async function createEncrypter(encryption: ArchiveEncryption): Promise<Encrypter> {
  // Ciphers are many files, and most archives are not encrypted.
  const age = await import("age-encryption");
  const encrypter = new age.Encrypter();
  if ("passphrase" in encryption) {
    encrypter.setPassphrase(encryption.passphrase);
    if (encryption.workFactor !== undefined) encrypter.setScryptWorkFactor(encryption.workFactor);
    return encrypter;
  }
  const { recipients } = encryption;
  if (recipients.length === 0 || recipients.length > MOST_RECIPIENTS) {
    throw new StackferryError("usage", `an archive is encrypted for 1 to ${String(MOST_RECIPIENTS)} recipients`);
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

/** @throws StackferryError `config` for what is no age secret key, without repeating it. */
export async function createDecrypter({ identities, passphrases }: ArchiveKeys): Promise<Decrypter> {
  const age = await import("age-encryption");
  const decrypter = new age.Decrypter();
  for (const [index, identity] of identities.entries()) {
    try {
      decrypter.addIdentity(identity);
    } catch {
      // The library's message and its stack may hold the key.
      throw new StackferryError("config", `the age secret key number ${String(index + 1)} is mistyped or cut short`, {
        hint: "age-keygen writes keys that begin with AGE-SECRET-KEY-1",
      });
    }
  }
  for (const passphrase of passphrases) decrypter.addPassphrase(passphrase);
  return decrypter;
}

function wrongRecipient(recipient: string, index: number): StackferryError {
  const hint = /^AGE-SECRET-KEY-/i.test(recipient)
    ? "that is a secret key: give the public one, age1…, and make a new pair, as command lines are seen by others"
    : "a recipient is a public key of age-keygen, age1…";
  return new StackferryError("usage", `recipient number ${String(index + 1)} is not an age recipient`, { hint });
}
