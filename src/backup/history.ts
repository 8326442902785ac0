import pLimit from "p-limit";
import type { KindName } from "../core/records/record.ts";
import { readEntry, type ArchiveEntry, type SuspectReason } from "./archive-entry.ts";
import { isFileListed, listStoredStacks, type StoredArchive, type StoredStack } from "./archive-names.ts";
import { isFromFuture } from "./clock.ts";
import type { BackupContext } from "./backup-context.ts";
import { examineStoredArchive, type BackupFlaw, type ExaminedArchive } from "./open-stored-archive.ts";
import { countsOf, withSuspectReasons } from "./suspect.ts";

export interface JudgedArchive extends StoredArchive {
  /** Stored, or built from the archive's manifest; absent if neither can be read. */
  readonly entry?: ArchiveEntry;
  /** Absent for a good archive, and for damage that only a read of the records shows. */
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

/** A store answers parallel requests sooner than consecutive ones. */
const PARALLEL = 16;

/** Builds a damaged entry from the archive's manifest if possible. */
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
    // An entry that states another size serves only for its checksum.
    const entry = stated?.bytes === archive.bytes ? stated : undefined;
    if (isFromFuture(archive, clock.now())) {
      archives.push({ ...archive, ...(entry !== undefined && { entry }), flaw: FROM_FUTURE });
    } else if (entry !== undefined) archives.push(judgeByEntry(archive, entry));
    else archives.push(...(await judgeWithoutEntry(archive, stated, { ...stored, archives }, context)));
  }
  return { ...stored, archives: archives.toReversed() };
}

export function judgeByEntry<Archive extends StoredArchive>(
  archive: Archive,
  entry: ArchiveEntry,
): Archive & JudgedArchive & { readonly entry: ArchiveEntry } {
  const reasons = archive.isAccepted ? [] : (entry.suspect ?? []);
  const message = reasons.map((reason) => reason.message).join("; ");
  return { ...archive, entry, ...(reasons.length > 0 && { flaw: { code: "suspect-backup", message } as const }) };
}

/**
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
  // Without a good backup, nothing tells whether the archive was suspect, so the archive counts as unfinished.
  if (!archive.isComplete || (baseline === undefined && !hadGood)) {
    // Another run may have removed the archive since the list was made.
    const isThere = await isFileListed(archive.name, context.repository, context.signal);
    return isThere ? [{ ...archive, flaw: UNFINISHED }] : [];
  }
  const examined = await examineStoredArchive({ ...archive, ...(stated && { entry: stated }) }, "manifest", context);
  if (examined.state === "gone") return [];
  if (examined.state === "flawed") return [{ ...archive, flaw: examined.flaw }];
  if (examined.state === "sealed" || !examined.isOpened) return [archive];
  return [judgeByEntry(archive, withSuspectReasons(examined.entry, baseline, context.minShare))];
}

/** @param archives the newest first */
export function lastGoodOf(archives: readonly JudgedArchive[]): ArchiveWithEntry | undefined {
  return archives.find((archive): archive is ArchiveWithEntry => archive.entry !== undefined && isGood(archive));
}

export function isGood({ flaw }: JudgedArchive): boolean {
  return flaw === undefined;
}

/** A flawed archive that is newer than the newest good archive. */
export type PassedOver = BackupFlaw & { readonly archive: JudgedArchive };

export function flawOf({ flaw }: JudgedArchive, found: ExaminedArchive | undefined): BackupFlaw | undefined {
  return found?.state === "flawed" ? found.flaw : flaw;
}

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

export function suspectReasonsOf({ entry, isAccepted }: JudgedArchive): readonly SuspectReason[] {
  return isAccepted ? [] : (entry?.suspect ?? []);
}

/** True for a suspect or damaged archive, too. */
export function isBackup({ flaw }: JudgedArchive): boolean {
  return flaw?.code !== "refused-backup" && flaw?.code !== "unfinished-backup";
}

export function newestOf(archives: readonly JudgedArchive[]): JudgedArchive | undefined {
  return archives.find(isBackup);
}

export interface BackupSummary {
  readonly archives: number;
  readonly suspect: boolean;
  readonly records?: Readonly<Record<KindName, number>>;
  readonly bytes?: number;
  /** When a run last found the stack equal to the newest good archive, Unix milliseconds. */
  readonly goodAt?: number;
  readonly ageMs?: number;
}

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
    // The clock of the machine that made the backup can be a little ahead, so `Math.max` prevents a negative age.
    ...(good !== undefined && {
      goodAt: lastConfirmedAt(good, now),
      ageMs: Math.max(0, now - lastConfirmedAt(good, now)),
    }),
  };
}

function lastConfirmedAt({ at, confirmations }: JudgedArchive, now: number): number {
  return confirmations.find((time) => !isFromFuture({ at: time }, now)) ?? at;
}
