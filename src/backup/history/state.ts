import type { KindName } from "../../core/records/record.ts";
import type { JudgedArchive } from "./read-history.ts";
import { isGood, suspectReasonsOf } from "./read-history.ts";
import type { Shrinkage } from "./suspect.ts";

/** The state of a stack's backups in figures, for monitoring. */
export interface BackupState {
  /** The number of archives, damaged and suspect ones included. */
  readonly archives: number;
  /** Whether the newest archive is suspect. */
  readonly suspect: boolean;
  /** The number of records in the newest archive, by kind; absent if unknown. */
  readonly records?: Readonly<Record<KindName, number>>;
  /** Kinds with fewer records in the newest archive than in the good one before it, with the earlier numbers. */
  readonly shrunkFrom?: Shrinkage;
  /** Size of the newest archive's file. */
  readonly bytes?: number;
  /** Milliseconds since a run last found the stack equal to the newest good archive; absent if there is no good archive. */
  readonly ageMs?: number;
}

/**
 * Builds the state from judged archives.
 * @param archives the newest first
 * @param good the newest good one of `archives`
 */
export function backupState(
  archives: readonly JudgedArchive[],
  good: JudgedArchive | undefined,
  now: number,
): BackupState {
  const newest = archives.find(({ refused }) => refused === undefined);
  if (newest === undefined) return { archives: archives.length, suspect: false };
  const { entry, bytes } = newest;
  const at = good && confirmedAt(good, now);
  return {
    archives: archives.length,
    suspect: suspectReasonsOf(newest).length > 0,
    ...(entry !== undefined && { records: recordsByKind(entry.kinds) }),
    ...(entry?.shrunkFrom !== undefined && { shrunkFrom: entry.shrunkFrom }),
    bytes,
    ...(at !== undefined && { ageMs: now - at }),
  };
}

/** Builds the state of a stack's backups from the entries in `status.json` alone, without reading an archive. */
export function currentState(archives: readonly JudgedArchive[], now: number): BackupState {
  return backupState(
    archives,
    archives.find((archive) => archive.entry !== undefined && isGood(archive)),
    now,
  );
}

function recordsByKind(kinds: NonNullable<JudgedArchive["entry"]>["kinds"]): Record<KindName, number> {
  return Object.fromEntries(Object.entries(kinds).map(([kind, { count }]) => [kind, count]));
}

/**
 * Returns when a run last found the stack equal to the archive. A `checkedAt` in the future is ignored: it must not make the backup
 * look younger.
 */
function confirmedAt({ at, entry }: JudgedArchive, now: number): number {
  const checkedAt = entry === undefined ? at : Date.parse(entry.checkedAt);
  return checkedAt > at && checkedAt <= now ? checkedAt : at;
}
