import type { BackupDependencies } from "./dependencies.ts";
import type { JudgedArchive, StackHistory } from "./history/read-history.ts";
import { isGood } from "./history/read-history.ts";
import type { SuspectReason } from "./history/suspect.ts";
import type { ArchiveEntry } from "./history/status.ts";
import { markStack, markedAt } from "./marker.ts";

/** What was here before this run. */
export interface Past {
  readonly isFirst: boolean;
  /** There was a good backup, and there is none any more. */
  readonly emptied?: SuspectReason;
}

/** An emptied folder, or one whose disk is not mounted, looks like a new one: the marker and this machine tell them apart. */
export async function pastOf(
  stack: string,
  { archives }: StackHistory,
  { repository, known }: BackupDependencies,
): Promise<Past> {
  const good = archives.filter((archive) => isGood(archive) && archive.damaged === undefined);
  const marked = await markedAt(stack, repository);
  const before = marked ?? (await known.storedAt(stack));
  // Without the marker, what a killed run has left in the emptied folder is newer than all that was there.
  const isThere = ({ at, entry }: JudgedArchive): boolean =>
    marked !== undefined || before === undefined || at <= Date.parse(before) || entry?.accepted === true;
  if (good.some(isThere)) return { isFirst: false };
  if (before === undefined) return { isFirst: archives.length === 0 };
  const message = `${repository.address} held a good backup of ${stack} (${before}) and holds none now; perhaps it was emptied, its disk is not mounted, or all of them are damaged`;
  return { isFirst: false, emptied: { code: "emptied", message } };
}

/** Remembers a good backup, in the repository and on this machine. */
export async function noteGood(
  stack: string,
  at: number,
  { checkedAt }: ArchiveEntry,
  { repository, known }: BackupDependencies,
): Promise<void> {
  // A clock that was set back names an archive by a later time than its own.
  const storedAt = new Date(Math.max(at, Date.parse(checkedAt))).toISOString();
  await known.note(stack, storedAt);
  await markStack(stack, storedAt, repository);
}
