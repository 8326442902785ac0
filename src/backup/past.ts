import type { BackupDependencies } from "./dependencies.ts";
import type { StackHistory } from "./history/read-history.ts";
import { isGood } from "./history/read-history.ts";
import type { SuspectReason } from "./history/shrinking.ts";
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
  if (archives.some(isGood)) return { isFirst: false };
  const before = (await known.storedAt(stack)) ?? (await markedAt(stack, repository));
  if (before === undefined) return { isFirst: archives.length === 0 };
  const message = `${repository.address} held a good backup of ${stack} (${before}) and holds none now: was it emptied, or is its disk not mounted?`;
  return { isFirst: false, emptied: { code: "emptied", message } };
}

/** Remembers a good backup, in the repository and on this machine. */
export async function noteGood(
  stack: string,
  { checkedAt }: ArchiveEntry,
  { repository, known }: BackupDependencies,
): Promise<void> {
  await known.note(stack, checkedAt);
  await markStack(stack, checkedAt, repository);
}
