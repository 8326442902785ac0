import { ENCRYPTED_FOR_PASSPHRASE } from "../core/manifest.ts";
import { MAX_NAMED, joinNames } from "../core/text/format.ts";
import type { ArchiveEntry, SuspectReason } from "./archive-entry.ts";
import { goodFileName, isFileListed, sideFileName, type ArchiveFile, type StoredStack } from "./archive-names.ts";
import { isFromFuture } from "./clock.ts";
import type { BackupContext } from "./backup-context.ts";
import { lastGoodOf, type JudgedArchive, type StackHistory } from "./history.ts";
import { openStoredArchive } from "./open-stored-archive.ts";
import { withSuspectReasons } from "./suspect.ts";

export interface EarlierBackups {
  readonly isFirst: boolean;
  readonly lossReason?: SuspectReason;
}

/** The file `good` and this machine's record tell an emptied repository from a new one. */
export async function readEarlierBackups(
  { stack, archives, hadGood }: StackHistory,
  { repository, localRecord }: BackupContext,
): Promise<EarlierBackups> {
  if (lastGoodOf(archives) !== undefined) return { isFirst: false };
  const before = await localRecord.lastGoodBackupAt(stack);
  if (!hadGood && before === undefined) return { isFirst: archives.length === 0 };
  const when = before === undefined ? "" : ` (${before})`;
  const message = `${repository.address} held a good backup of ${stack}${when} and now holds none: it may have been emptied, its disk may not be mounted, or all backups may be damaged or dated later than now`;
  return { isFirst: false, lossReason: { code: "missing-backup", message } };
}

export async function judgeNewArchive(
  entry: ArchiveEntry,
  { encrypted }: ArchiveFile,
  { archives: earlier, lossReason }: Pick<EarlierBackups, "lossReason"> & Pick<StackHistory, "archives">,
  context: BackupContext,
): Promise<ArchiveEntry> {
  const lastGood = lastGoodOf(earlier);
  const others = encrypted ? await findOtherReaders(entry.encryptedFor, lastGood, context) : [];
  const more = lossReason === undefined ? others : [lossReason, ...others];
  return withSuspectReasons(entry, lastGood?.entry, context.minShare, more);
}

/**
 * Other readers are suspect, because perhaps nobody has the new key or passphrase.
 * @param encryptedFor undefined if the readers of the new archive are unknown
 */
async function findOtherReaders(
  encryptedFor: string | undefined,
  lastGood: JudgedArchive | undefined,
  context: BackupContext,
): Promise<SuspectReason[]> {
  if (lastGood?.encrypted !== true) return [];
  const { name, entry } = lastGood;
  const before = entry?.encryptedFor;
  if (encryptedFor !== undefined && before !== undefined && encryptedFor !== before) {
    return [{ code: "wrong-key", message: `it is encrypted for other readers than the last good backup, ${name}` }];
  }
  // All passphrases have the same digest, so only opening the archive shows whether the passphrase is the same.
  if (encryptedFor !== undefined && encryptedFor !== ENCRYPTED_FOR_PASSPHRASE) return [];
  const opened = await openStoredArchive(lastGood, context);
  if (opened.state === "open") await opened.reader[Symbol.asyncDispose]();
  if (opened.state !== "sealed") return [];
  const what = encryptedFor === undefined ? "key" : "passphrase";
  return [{ code: "wrong-key", message: `its ${what} does not open the last good backup, ${name}` }];
}

/** Warns if the newest backup is missing, because an older backup would look like the newest. */
export async function emitMissingWarning(
  { stack, archives, sideFiles }: StackHistory,
  { repository, clock, events, signal }: BackupContext,
): Promise<void> {
  const entries = sideFiles.filter(({ ending, at }) => ending === "json" && !isFromFuture({ at }, clock.now()));
  const newest = Math.max(...entries.map(({ at }) => at));
  if (entries.length === 0 || archives.some(({ at }) => at >= newest)) return;
  const name = sideFileName({ stack, at: newest }, "zip");
  // Another run may have stored the backup after the list was made.
  for (const other of [name, `${name}.age`]) if (await isFileListed(other, repository, signal)) return;
  const message = `${name} is missing from ${repository.address}: ${sideFileName({ stack, at: newest }, "json")} describes it as the newest backup, so somebody removed it, or the repository does not list it; look for it there`;
  events({ type: "warning", warning: { code: "missing-backup", message } });
}

export function emitEmptiedWarning(stacks: readonly StoredStack[], { repository, events }: BackupContext): void {
  const emptied = stacks.filter(({ hadGood, archives }) => hadGood && archives.length === 0);
  if (emptied.length === 0) return;
  const names = joinNames(emptied, MAX_NAMED, ({ stack }) => stack);
  const message = `${repository.address} had a good backup of ${names} and has none now: if that is intended, remove ${joinNames(emptied, MAX_NAMED, ({ stack }) => goodFileName(stack))}`;
  events({ type: "warning", warning: { code: "missing-backup", message } });
}

export async function recordGoodBackup(
  { stack, hadGood }: Pick<StoredStack, "stack" | "hadGood">,
  { repository, localRecord, clock }: BackupContext,
): Promise<void> {
  await localRecord.recordGoodBackup(stack, new Date(clock.now()).toISOString());
  if (!hadGood) await repository.writeText(goodFileName(stack), "");
}
