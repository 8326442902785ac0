import type { RunContext } from "../core/events.ts";
import { ENCRYPTED_FOR_PASSPHRASE } from "../core/manifest.ts";
import type { BackupDependencies } from "./dependencies.ts";
import type { JudgedArchive } from "./history.ts";
import { examineStoredArchive } from "./open-stored-archive.ts";
import type { SuspectReason } from "./suspect.ts";

/**
 * Returns the reason for suspicion if an encrypted archive has other readers than the last good one: the whole history would soon be
 * for a key or a passphrase that perhaps nobody has.
 * @param encryptedFor its readers, by `readersDigest`; undefined if only the given keys tell, which open it
 */
export async function findOtherReaders(
  encryptedFor: string | undefined,
  lastGood: JudgedArchive | undefined,
  dependencies: BackupDependencies,
  context: RunContext,
): Promise<SuspectReason[]> {
  if (lastGood?.encrypted !== true) return [];
  const { name, entry } = lastGood;
  const before = entry?.encryptedFor;
  if (encryptedFor !== undefined && before !== undefined && encryptedFor !== before) {
    return [{ code: "wrong-key", message: `it is encrypted for other readers than the last good backup, ${name}` }];
  }
  // An entry does not tell passphrases apart.
  if (encryptedFor !== undefined && encryptedFor !== ENCRYPTED_FOR_PASSPHRASE) return [];
  const about = { ...lastGood, entry: undefined };
  const { state } = await examineStoredArchive(about, "manifest", dependencies, context);
  if (state !== "sealed") return [];
  const what = encryptedFor === undefined ? "key" : "passphrase";
  return [{ code: "wrong-key", message: `its ${what} does not open the last good backup, ${name}` }];
}
