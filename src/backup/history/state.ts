import type { KindName } from "../../core/records/record.ts";
import type { JudgedArchive } from "./read-history.ts";
import { isGood, suspicion } from "./read-history.ts";
import type { Shrinkage } from "./suspect.ts";

/** How a stack's backups stand, in figures, for those who watch. */
export interface BackupState {
  /** How many archives there are, whatever is wrong with them. */
  readonly archives: number;
  /** Whether the newest archive is suspect. */
  readonly suspect: boolean;
  /** What the newest archive holds, by kind; absent where that is not known. */
  readonly records?: Readonly<Record<KindName, number>>;
  /** Kinds of which the newest archive holds less than the good one before it, and how many that held. */
  readonly shrunkFrom?: Shrinkage;
  /** Of the newest archive's file. */
  readonly bytes?: number;
  /** Milliseconds since the stack was last known to equal the newest good archive; absent where there is none. */
  readonly ageMs?: number;
}

/** @param archives the newest first @param good the newest good one of them */
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
    suspect: suspicion(newest).length > 0,
    ...(entry !== undefined && { records: recordsByKind(entry.kinds) }),
    ...(entry?.shrunkFrom !== undefined && { shrunkFrom: entry.shrunkFrom }),
    bytes,
    ...(at !== undefined && { ageMs: now - at }),
  };
}

/** The same by what is known without reading an archive. */
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

/** A status that says a time to come makes no backup younger. */
function confirmedAt({ at, entry }: JudgedArchive, now: number): number {
  const checkedAt = entry === undefined ? at : Date.parse(entry.checkedAt);
  return checkedAt > at && checkedAt <= now ? checkedAt : at;
}
