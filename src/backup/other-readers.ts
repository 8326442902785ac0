import { StackferryError } from "../core/errors.ts";
import type { RunContext } from "../core/events.ts";
import { ENCRYPTED_FOR_PASSPHRASE } from "../core/manifest.ts";
import type { BackupDependencies } from "./dependencies.ts";
import type { JudgedArchive } from "./history.ts";
import type { SuspectReason } from "./suspect.ts";

/** The readers of a new archive. */
export interface Readers {
  /** Identifies them, in the form that `readersDigest` returns. */
  readonly digest: string;
  /** For a passphrase: tells whether it opens an archive that begins with these bytes. */
  readonly opens?: (start: Buffer) => Promise<boolean>;
}

/** An archive for a passphrase has one recipient, so its header ends within these bytes. */
const HEADER_BYTES = 1024;

/**
 * Returns the reason for suspicion if a new archive has other readers than the last good one: the whole history would soon be
 * encrypted for a key or with a passphrase that perhaps nobody has. Recipients are compared by their digest. The entry does not
 * tell passphrases apart, so the passphrase is tried on the header of the last good archive, which takes a second.
 */
export async function findOtherReaders(
  readers: Readers | undefined,
  lastGood: JudgedArchive | undefined,
  { repository }: Pick<BackupDependencies, "repository">,
  { signal }: RunContext,
): Promise<SuspectReason[]> {
  if (readers === undefined || lastGood?.encrypted !== true) return [];
  const { name, bytes, entry } = lastGood;
  const before = entry?.encryptedFor;
  if (before !== undefined && before !== readers.digest) {
    const kind = (digest: string): string => (digest === ENCRYPTED_FOR_PASSPHRASE ? "a passphrase" : "recipients");
    const [then, now] = [kind(before), kind(readers.digest)];
    const how = then === now ? "other recipients than" : `${now}, not ${then} as`;
    return [{ code: "wrong-key", message: `it is encrypted for ${how} the last good backup, ${name}` }];
  }
  if (readers.opens === undefined) return [];
  const start = await readStart(name, bytes, repository, signal);
  if (start === undefined || (await readers.opens(start))) return [];
  const message = `its passphrase does not open the last good backup, ${name}`;
  return [{ code: "wrong-key", message }];
}

/** Returns undefined if another run has removed the archive. */
async function readStart(
  name: string,
  bytes: number,
  repository: BackupDependencies["repository"],
  signal: AbortSignal | undefined,
): Promise<Buffer | undefined> {
  try {
    const source = await repository.open(name, bytes, signal);
    try {
      return await source.read(0, Math.min(bytes, HEADER_BYTES));
    } finally {
      await source.close();
    }
  } catch (error) {
    if (error instanceof StackferryError && error.code === "not-found") return undefined;
    throw error;
  }
}
