import pLimit from "p-limit";
import type { KindName } from "../core/records/record.ts";
import { readEntry, type ArchiveEntry, type SuspectReason } from "./archive-entry.ts";
import { isFileListed, listStoredStacks, type StoredArchive, type StoredStack } from "./archive-names.ts";
import { isFromFuture } from "./clock.ts";
import type { BackupContext } from "./backup-context.ts";
import { examineStoredArchive, type BackupFlaw, type ExaminedArchive } from "./open-stored-archive.ts";
import { countsOf, withSuspectReasons } from "./suspect.ts";

export interface JudgedArchive extends StoredArchive {
  /** The stored entry, or an entry that is built from the archive's manifest; absent if neither can be read. */
  readonly entry?: ArchiveEntry;
  /** Why the archive is not a good backup; absent for a good archive, and for damage that only a read of the records shows. */
  readonly flaw?: BackupFlaw;
}

export type ArchiveWithEntry = JudgedArchive & { readonly entry: ArchiveEntry };

export interface StackHistory extends StoredStack {
  readonly archives: readonly JudgedArchive[];
}

const FROM_FUTURE: BackupFlaw = {
  code: "refused-backup",
  message: "it is dated in the future (was a clock wrong?); to restore it, name its time to the second",
};

const UNFINISHED: BackupFlaw = {
  code: "unfinished-backup",
  message: "no run has completed it; `check` reads and completes it",
};

/** The number of entries that are read at a time: a store answers parallel requests sooner than consecutive ones. */
const PARALLEL = 16;

/**
 * Lists a stack's archives with their entries. If an entry is damaged, opens the archive, builds the entry from the
 * manifest, and compares this entry with the last good archive before, to find out whether the archive is suspect.
 */
export async function readHistory(stack: string, context: BackupContext): Promise<StackHistory> {
  const { repository, clock } = context;
  const [stored] = await listStoredStacks(repository, stack, context.signal);
  if (stored === undefined) return { stack, hadGood: false, archives: [], sideFiles: [] };
  const limit = pLimit(PARALLEL);
  const read = stored.archives.map((archive) =>
    limit(async () => {
      context.signal?.throwIfAborted();
      const entry = archive.isComplete ? await readEntry(archive, repository) : undefined;
      return { archive, entry };
    }),
  );
  const archives: JudgedArchive[] = [];
  for (const { archive, entry: stated } of (await Promise.all(read)).toReversed()) {
    // An entry that states another size is not used, except to show by its checksum that an encrypted archive was cut.
    const entry = stated?.bytes === archive.bytes ? stated : undefined;
    if (isFromFuture(archive, clock.now())) {
      archives.push({ ...archive, ...(entry !== undefined && { entry }), flaw: FROM_FUTURE });
    } else if (entry !== undefined) archives.push(judgeByEntry(archive, entry));
    else archives.push(...(await judgeWithoutEntry(archive, stated, { ...stored, archives }, context)));
  }
  return { ...stored, archives: archives.toReversed() };
}

/** Adds an entry, and the flaw that the entry shows, to an archive. */
export function judgeByEntry<Archive extends StoredArchive>(
  archive: Archive,
  entry: ArchiveEntry,
): Archive & JudgedArchive & { readonly entry: ArchiveEntry } {
  const reasons = archive.isAccepted ? [] : (entry.suspect ?? []);
  const message = reasons.map((reason) => reason.message).join("; ");
  return { ...archive, entry, ...(reasons.length > 0 && { flaw: { code: "suspect-backup", message } as const }) };
}

/**
 * Judges an archive without an entry that can be used. The history has only the archives before, the oldest first.
 * @param stated the entry if its size is wrong; undefined if the entry is missing or damaged
 * @returns an empty list for an archive that another run has just removed
 */
async function judgeWithoutEntry(
  archive: StoredArchive,
  stated: ArchiveEntry | undefined,
  { archives: earlier, hadGood }: StackHistory,
  context: BackupContext,
): Promise<JudgedArchive[]> {
  const baseline = lastGoodOf(earlier.toReversed())?.entry;
  // If no earlier backup was good, only the entry could tell that the archive was stored in an emptied repository.
  // Without this entry, the archive counts as unfinished.
  if (!archive.isComplete || (baseline === undefined && !hadGood)) {
    // Since the archives were listed, another run may have removed the archive and its entry.
    const isThere = await isFileListed(archive.name, context.repository, context.signal);
    return isThere ? [{ ...archive, flaw: UNFINISHED }] : [];
  }
  const examined = await examineStoredArchive({ ...archive, ...(stated && { entry: stated }) }, "manifest", context);
  if (examined.state === "gone") return [];
  if (examined.state === "flawed") return [{ ...archive, flaw: examined.flaw }];
  if (examined.state === "sealed" || !examined.isOpened) return [archive];
  return [judgeByEntry(archive, withSuspectReasons(examined.entry, baseline, context.minShare))];
}

/**
 * Returns the newest archive that has an entry and no flaw. Newer archives are compared with this archive.
 * @param archives the newest first
 */
export function lastGoodOf(archives: readonly JudgedArchive[]): ArchiveWithEntry | undefined {
  return archives.find((archive): archive is ArchiveWithEntry => archive.entry !== undefined && isGood(archive));
}

export function isGood({ flaw }: JudgedArchive): boolean {
  return flaw === undefined;
}

/** A flawed archive that is newer than the newest good archive. */
export type PassedOver = BackupFlaw & { readonly archive: JudgedArchive };

/** Returns the flaw that reading an archive has found, else the flaw that its history shows. */
export function flawOf({ flaw }: JudgedArchive, found: ExaminedArchive | undefined): BackupFlaw | undefined {
  return found?.state === "flawed" ? found.flaw : flaw;
}

/**
 * Finds the newest archive that has no flaw, neither in its history nor when `examine` reads it.
 * @param archives the newest first
 * @param sufficient the results of `examine` that count as good
 */
export async function findNewestGood(
  archives: readonly JudgedArchive[],
  examine: (archive: JudgedArchive) => Promise<ExaminedArchive>,
  sufficient: readonly ExaminedArchive["state"][] = ["good"],
): Promise<{ readonly good?: JudgedArchive; readonly passedOver: readonly PassedOver[] }> {
  const passedOver: PassedOver[] = [];
  for (const archive of archives) {
    const examined = isGood(archive) ? await examine(archive) : undefined;
    if (examined !== undefined && sufficient.includes(examined.state)) return { good: archive, passedOver };
    const flaw = flawOf(archive, examined);
    if (flaw !== undefined) passedOver.push({ archive, ...flaw });
  }
  return { passedOver };
}

/** Returns the reasons why an archive is suspect; none for an archive that the user has accepted. */
export function suspectReasonsOf({ entry, isAccepted }: JudgedArchive): readonly SuspectReason[] {
  return isAccepted ? [] : (entry?.suspect ?? []);
}

/** Tells whether an archive, good or not, is a complete backup of the stack: neither refused nor unfinished. */
export function isBackup({ flaw }: JudgedArchive): boolean {
  return flaw?.code !== "refused-backup" && flaw?.code !== "unfinished-backup";
}

/** @param archives the newest first */
export function newestOf(archives: readonly JudgedArchive[]): JudgedArchive | undefined {
  return archives.find(isBackup);
}

/** The figures of a stack's backups, for monitoring. */
export interface BackupSummary {
  readonly archives: number;
  readonly suspect: boolean;
  /** The number of records in the newest archive, by kind; absent if unknown. */
  readonly records?: Readonly<Record<KindName, number>>;
  /** Size of the newest archive. */
  readonly bytes?: number;
  /** When a run last found the stack equal to the newest good archive, Unix milliseconds; absent if there is no good archive. */
  readonly goodAt?: number;
  /** Milliseconds since `goodAt`. */
  readonly ageMs?: number;
}

/**
 * @param archives the newest first
 * @param good the newest good archive
 */
export function summariseBackups(
  archives: readonly JudgedArchive[],
  now: number,
  good: JudgedArchive | undefined,
): BackupSummary {
  const newest = newestOf(archives);
  if (newest === undefined) return { archives: archives.length, suspect: false };
  const { entry, bytes } = newest;
  return {
    archives: archives.length,
    suspect: suspectReasonsOf(newest).length > 0,
    records: entry && countsOf(entry.kinds),
    bytes,
    // `goodAt` can be later than `now`, because the clock of the machine that made the backup may be a little ahead.
    ...(good !== undefined && {
      goodAt: lastConfirmedAt(good, now),
      ageMs: Math.max(0, now - lastConfirmedAt(good, now)),
    }),
  };
}

/** Returns when a run last found the stack equal to the archive: at the newest confirmation that is not in the future. */
function lastConfirmedAt({ at, confirmations }: JudgedArchive, now: number): number {
  return confirmations.find((time) => !isFromFuture({ at: time }, now)) ?? at;
}
