import type { BackupDependencies } from "./dependencies.ts";
import type { JudgedArchive, StackHistory } from "./history/read-history.ts";
import { isGood } from "./history/read-history.ts";
import type { SuspectReason } from "./history/suspect.ts";
import type { ArchiveEntry } from "./history/status.ts";
import { markStack, markedAt } from "./repository-marker.ts";

/** The repository's past before this run. */
export interface Past {
  readonly isFirst: boolean;
  /** A good backup existed, and none does any more. */
  readonly emptied?: SuspectReason;
}

/**
 * Tells an emptied folder, or one whose disk is not mounted, from a new folder. Uses the repository's marker and this machine's
 * own record.
 */
export async function readKnownBackups(
  stack: string,
  { archives }: StackHistory,
  { repository, knownBackups }: BackupDependencies,
): Promise<Past> {
  const good = archives.filter((archive) => isGood(archive) && archive.damaged === undefined);
  const marked = await markedAt(stack, repository);
  const before = marked ?? (await knownBackups.storedAt(stack));
  // Without the marker, an archive counts only if it is no newer than the last known good backup: a killed run may have left a
  // newer one in the emptied folder.
  const isThere = ({ at, entry }: JudgedArchive): boolean =>
    marked !== undefined || before === undefined || at <= Date.parse(before) || entry?.accepted === true;
  if (good.some(isThere)) return { isFirst: false };
  if (before === undefined) return { isFirst: archives.length === 0 };
  const message = `${repository.address} held a good backup of ${stack} (${before}) and now holds none: was it emptied, is its disk not mounted, or are all backups damaged?`;
  return { isFirst: false, emptied: { code: "emptied", message } };
}

/** Records a good backup, in the repository and on this machine. */
export async function noteGood(
  stack: string,
  at: number,
  { checkedAt }: ArchiveEntry,
  { repository, knownBackups }: BackupDependencies,
): Promise<void> {
  // If the clock was set back, an archive's name has a later time than the clock.
  const storedAt = new Date(Math.max(at, Date.parse(checkedAt))).toISOString();
  await knownBackups.note(stack, storedAt);
  await markStack(stack, storedAt, repository);
}
