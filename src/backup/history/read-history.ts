import { byCodeUnit } from "../../core/collections.ts";
import type { RunContext } from "../../core/events.ts";
import type { BackupDependencies } from "../dependencies.ts";
import { NOT_ENCRYPTED_PROBLEM, examineStoredArchive, type ExaminedArchive } from "../open-stored-archive.ts";
import { FROM_FUTURE_PROBLEM, isFromFuture, listStoredArchives, type StoredArchive } from "../archive-names.ts";
import {
  summariseContent,
  findSuspectReasons,
  shrinkageSince,
  type Baseline,
  type ComparedArchive,
  type SuspectReason,
} from "./suspect.ts";
import { readStatus, type ArchiveEntry } from "./status.ts";
import { digestOrigin } from "./origin.ts";
import { bytesByKind } from "../../core/manifest.ts";
import { keyOfRecord, type KindName } from "../../core/records/record.ts";

/** A stored archive, and the facts that are known about it. */
export interface JudgedArchive extends StoredArchive {
  /** The archive's entry in `status.json`, or one built from its manifest; absent if the archive cannot be read. */
  readonly entry?: ArchiveEntry;
  /**
   * The reason why the archive is not a backup of this stack. Such an archive is never restored, and never counts as the newest.
   */
  readonly refused?: string;
  /** True if the archive is refused only because its name has a time in the future. */
  readonly isAhead?: boolean;
  /** The reason why the archive cannot be opened. Damage that only a full read would show is not known here. */
  readonly damaged?: string;
}

/** The archives of a stack, the newest first, and the last good one, with which the next archive is compared. */
export interface StackHistory {
  readonly archives: readonly JudgedArchive[];
  readonly baseline: Baseline;
  /** Name of the newest archive according to `status.json`; absent without that file. */
  readonly newestRecorded?: string | undefined;
}

/**
 * Lists a stack's archives with their entries in `status.json`. An archive without an entry is opened: its manifest gives the
 * entry, and a comparison with the archives before it shows whether it is suspect. So if `status.json` is lost, reading takes
 * longer, but nothing is lost except which archives were accepted.
 */
export async function readHistory(
  stack: string,
  dependencies: BackupDependencies,
  context: RunContext,
): Promise<StackHistory> {
  const { repository, minShare } = dependencies;
  const stored = await listStoredArchives(repository, stack, context.signal);
  const entries = await readStatus(stack, repository, context);
  const entryByName = new Map(entries.map((entry) => [entry.archive, entry]));
  const archives: JudgedArchive[] = [];
  let baseline: Baseline = undefined;
  for (const archive of stored.toReversed()) {
    context.signal?.throwIfAborted();
    const judged = await judgeArchive(archive, entryByName.get(archive.name), dependencies, context);
    const { entry } = judged;
    const isNew = judged.refused === undefined && entry !== undefined && entryByName.get(archive.name) !== entry;
    const marked: JudgedArchive = isNew
      ? { ...judged, entry: { ...entry, ...compareWithBaseline(entry, readableBaseline(baseline), minShare) } }
      : judged;
    archives.push(marked);
    if (isGood(marked)) baseline = marked.entry ?? baseline ?? (marked.encrypted ? "unknown" : undefined);
  }
  // The newest good archive may be deleted or damaged by now. Its entry still records its content, for the next comparison. An
  // archive whose name has a time in the future does not count.
  const ahead = new Set(archives.filter(({ isAhead }) => isAhead === true).map(({ name }) => name));
  const recorded = entries.filter((entry) => isGoodEntry(entry) && !ahead.has(entry.archive));
  const good = [...archives.filter(isGood).flatMap(({ entry }) => entry ?? []), ...recorded];
  const newest = good.toSorted((left, right) => byCodeUnit(right.archive, left.archive))[0];
  // If all good archives seem to be dated in the future, this machine's clock is wrong, so this run marks no archive as `ahead`.
  const isClockSane = archives.some(isGood);
  const settled = isClockSane ? archives : archives.map((archive) => withEntry(archive, entryByName.get(archive.name)));
  return { archives: settled.toReversed(), baseline: newest ?? baseline, newestRecorded: entries[0]?.archive };
}

function withEntry(archive: JudgedArchive, entry: ArchiveEntry | undefined): JudgedArchive {
  return archive.isAhead === true && entry !== undefined ? { ...archive, entry } : archive;
}

/** Compares an archive with the last good one. Returns the result as members of the archive's entry. */
export function compareWithBaseline(
  archive: ComparedArchive,
  baseline: Baseline,
  minShare: number,
): Pick<ArchiveEntry, "shrunkFrom" | "suspect"> {
  const shrunkFrom = shrinkageSince(archive.kinds, baseline);
  const suspect = findSuspectReasons(archive, baseline, minShare);
  return {
    ...(Object.keys(shrunkFrom).length > 0 && { shrunkFrom }),
    ...(suspect.length > 0 && { suspect }),
  };
}

/** Tells whether an archive is neither refused nor suspect. The archive need not be readable. */
export function isGood({ entry, refused }: JudgedArchive): boolean {
  return refused === undefined && (entry === undefined || isGoodEntry(entry));
}

/** Finds the newest archive that is neither refused nor suspect, and whose records are as they were written. */
export async function findGoodArchive(
  archives: readonly JudgedArchive[],
  examine: (archive: JudgedArchive) => Promise<ExaminedArchive["state"]>,
): Promise<JudgedArchive | undefined> {
  for (const archive of archives) if (isGood(archive) && (await examine(archive)) === "good") return archive;
  return undefined;
}

function isGoodEntry({ suspect }: ArchiveEntry): boolean {
  return suspect === undefined || suspect.length === 0;
}

/** Returns why an archive is suspect; empty if it is not. */
export function suspectReasonsOf({ entry }: JudgedArchive): readonly SuspectReason[] {
  return entry?.suspect ?? [];
}

/**
 * Turns the baseline `unknown` into none, because `unknown` would make an archive of an earlier run suspect. That earlier run has
 * already reported that it could read no archive before its own.
 */
function readableBaseline(baseline: Baseline): Baseline {
  return baseline === "unknown" ? undefined : baseline;
}

async function judgeArchive(
  archive: StoredArchive,
  entry: ArchiveEntry | undefined,
  dependencies: BackupDependencies,
  context: RunContext,
): Promise<JudgedArchive> {
  if (isFromFuture(archive, dependencies.clock.now())) {
    const isKnown = entry?.bytes === archive.bytes;
    return {
      ...archive,
      refused: FROM_FUTURE_PROBLEM,
      isAhead: true,
      ...(isKnown && { entry: { ...entry, ahead: true } }),
    };
  }
  if (entry?.bytes === archive.bytes) return { ...archive, entry };
  const examined = await examineStoredArchive(archive, { depth: "manifest" }, dependencies, context);
  if (examined.state === "refused") return { ...archive, refused: examined.problem };
  // An encrypted archive that no key opens counts as unreadable, not as damaged, because the given keys may be the wrong ones.
  const isDamaged = examined.state === "damaged" && (!archive.encrypted || examined.problem === NOT_ENCRYPTED_PROBLEM);
  if (isDamaged) return { ...archive, damaged: examined.problem };
  if (examined.state !== "good" || examined.manifest === undefined) return archive;
  const { kinds, contentDigest, source, entries } = examined.manifest;
  const content = summariseContent(kinds, bytesByKind(entries));
  const storedAt = new Date(archive.at).toISOString();
  const times = { storedAt, checkedAt: storedAt };
  const origin = digestOrigin(source, entries.map(keyOfRecord));
  const about = { archive: archive.name, contentDigest, ...examined.file, ...times, kinds: content, origin };
  return { ...archive, entry: about };
}

/** The figures of a stack's backups, for monitoring. */
export interface BackupSummary {
  /** The number of archives, damaged and suspect ones included. */
  readonly archives: number;
  /** Whether the newest archive is suspect. */
  readonly suspect: boolean;
  /** The number of records in the newest archive, by kind; absent if unknown. */
  readonly records?: Readonly<Record<KindName, number>>;
  /** Kinds with fewer records in the newest archive than in the good one before it, with the earlier numbers; absent if accepted. */
  readonly shrunkFrom?: ArchiveEntry["shrunkFrom"];
  /** Size of the newest archive's file. */
  readonly bytes?: number;
  /** When a run last found the stack equal to the newest good archive, Unix milliseconds; absent if there is no good archive. */
  readonly goodAt?: number;
  /** Milliseconds since `goodAt`. */
  readonly ageMs?: number;
}

/** Summarises judged archives. @param archives the newest first @param good the newest good one of `archives` */
export function summariseBackups(
  archives: readonly JudgedArchive[],
  good: JudgedArchive | undefined,
  now: number,
): BackupSummary {
  const newest = archives.find(({ refused }) => refused === undefined);
  if (newest === undefined) return { archives: archives.length, suspect: false };
  const { entry, bytes } = newest;
  return {
    archives: archives.length,
    suspect: suspectReasonsOf(newest).length > 0,
    records: entry && Object.fromEntries(Object.entries(entry.kinds).map(([kind, { count }]) => [kind, count])),
    shrunkFrom: entry?.accepted === true ? undefined : entry?.shrunkFrom,
    bytes,
    // The clock of the machine that made the backup may be a little ahead.
    ...(good !== undefined && {
      goodAt: lastConfirmedAt(good, now),
      ageMs: Math.max(0, now - lastConfirmedAt(good, now)),
    }),
  };
}

/** Summarises a stack's backups from the entries in `status.json` alone, without reading an archive. */
export function summariseFromStatus(archives: readonly JudgedArchive[], now: number): BackupSummary {
  return summariseBackups(
    archives,
    archives.find((archive) => archive.entry !== undefined && isGood(archive)),
    now,
  );
}

/** Returns when a run last found the stack equal to the archive. A `checkedAt` in the future is ignored. */
export function lastConfirmedAt({ at, entry }: JudgedArchive, now: number): number {
  const checkedAt = entry === undefined ? at : Date.parse(entry.checkedAt);
  return checkedAt > at && checkedAt <= now ? checkedAt : at;
}
