import { partition } from "../core/collections.ts";
import type { RunContext } from "../core/events.ts";
import { sideFileName, type StoredArchive } from "./archive-names.ts";
import { areDatesTrusted } from "./clock.ts";
import type { BackupDependencies } from "./dependencies.ts";
import { findGoodArchive, isGood, readHistory, type JudgedArchive, type StackHistory } from "./history.ts";
import { createExaminer, type ExaminedArchive } from "./open-stored-archive.ts";
import { judgeArchives, type KeepReason, type RetentionPolicy } from "./retention.ts";

/** A reason to keep an archive: from the policy, or from a rule that no policy overrides. */
export type PruneKeepReason =
  | KeepReason
  | "newest-good"
  | "no-good-archive"
  | "not-recognised"
  | "damaged"
  | "changed-meanwhile"
  | "clock-differs";

export interface PruneVerdict {
  readonly archive: StoredArchive;
  readonly action: "keep" | "remove";
  /** The reasons to keep the archive; empty if it is removed. */
  readonly reasons: readonly PruneKeepReason[];
}

export interface PruneInput {
  readonly stack: string;
  readonly policy: RetentionPolicy;
  /** A dry run removes nothing. */
  readonly dryRun?: boolean;
  /** Name of an archive that this run has just verified as good. */
  readonly verifiedName?: string | undefined;
  /** False if this machine's clock differs from the repository's: everything is kept. */
  readonly isClockTrusted: boolean;
}

/**
 * Removes the archives of a stack that the policy gives no reason to keep, the oldest first. Always keeps the newest good archive,
 * and any file that is not recognised as a backup. Keeps everything while no good archive is known, or while a clock may be wrong.
 * Suspect archives are counted separately, so that they never displace a good one. Damaged archives are not counted. An archive is
 * only removed if the next newer archive that is kept is whole.
 */
export async function pruneStack(
  { stack, policy, dryRun = false, verifiedName, isClockTrusted }: PruneInput,
  dependencies: BackupDependencies,
  context: RunContext,
): Promise<PruneVerdict[]> {
  const history = await readHistory(stack, dependencies, context);
  const { archives } = history;
  const now = dependencies.clock.now();
  const isTrusted = isClockTrusted && areDatesTrusted(history, now, context);
  const examineOnce = createExaminer(dependencies, context);
  const examine: Examiner = async (archive) =>
    archive.name === verifiedName ? "good" : (await examineOnce(archive)).state;
  const judged = await judgeWhole(archives, policy, examine, now);
  if (!isTrusted) return judged.map((verdict) => keptFor(verdict, "clock-differs"));
  const removesNone = judged.every(({ action }) => action === "keep");
  const good = removesNone ? undefined : await findGoodArchive(archives, examine);
  const verdicts = judged.map((verdict, index) => {
    const stays = reasonToStay(archives[index], good);
    return stays === undefined ? verdict : keptFor(verdict, stays);
  });
  return dryRun ? verdicts : await removeArchives(verdicts, history, dependencies, context);
}

function keptFor(verdict: PruneVerdict, reason: PruneKeepReason): PruneVerdict {
  return verdict.action === "keep" ? verdict : { ...verdict, action: "keep", reasons: [reason] };
}

/**
 * Returns the reason why an archive stays although no rule keeps it. Another run, with other keys, may know a newer archive as good
 * or as damaged; so no run removes what is newer than the newest archive that it knows as good.
 */
function reasonToStay(
  archive: JudgedArchive | undefined,
  good: JudgedArchive | undefined,
): PruneKeepReason | undefined {
  if (archive === undefined || good === undefined) return "no-good-archive";
  return isGood(archive) && archive.at >= good.at ? "newest-good" : undefined;
}

/** Removes the archives, the oldest first, and looks before each one whether those that are kept are still there. */
async function removeArchives(
  verdicts: readonly PruneVerdict[],
  history: StackHistory,
  dependencies: BackupDependencies,
  { signal }: RunContext,
): Promise<PruneVerdict[]> {
  const { repository } = dependencies;
  const kept = verdicts.flatMap(({ archive, action }) => (action === "keep" ? [archive.name] : []));
  const decided: PruneVerdict[] = [];
  for (const verdict of verdicts.toReversed()) {
    if (verdict.action === "remove") {
      signal?.throwIfAborted();
      const listed = new Set((await repository.list(`${history.stack}/`, signal)).map(({ name }) => name));
      if (!kept.every((name) => listed.has(name))) {
        decided.push(keptFor(verdict, "changed-meanwhile"));
        continue;
      }
      await removeArchive(verdict.archive, dependencies);
    }
    decided.push(verdict);
  }
  await removeConfirmations(verdicts, history, dependencies);
  return decided.toReversed();
}

/** Removes the archive first, so that no reader finds it without its signature, and its entry last, which says what was there. */
async function removeArchive(archive: StoredArchive, { repository }: BackupDependencies): Promise<void> {
  await repository.remove(archive.name);
  await repository.remove(`${archive.name}.sig`);
  if (archive.isAccepted) await repository.remove(sideFileName(archive, "accepted"));
  await repository.remove(sideFileName(archive, "json"));
}

/** Removes the confirmations of removed archives, and all but the newest one of each archive that is kept. */
async function removeConfirmations(
  verdicts: readonly PruneVerdict[],
  { sideFiles }: StackHistory,
  { repository }: BackupDependencies,
): Promise<void> {
  const kept = new Set(
    verdicts.flatMap(({ archive, action }) => (action === "keep" ? archive.confirmations.slice(0, 1) : [])),
  );
  for (const { name, at, ending } of sideFiles) {
    if (ending === "unchanged" && !kept.has(at)) await repository.remove(name);
  }
}

type Examiner = (archive: JudgedArchive) => Promise<ExaminedArchive["state"]>;

/**
 * Judges the archives by the policy. If the newest archive, or a kept archive that replaces older ones, turns out to be damaged,
 * judges again without that archive.
 */
async function judgeWhole(
  archives: readonly JudgedArchive[],
  policy: RetentionPolicy,
  examine: Examiner,
  now: number,
): Promise<PruneVerdict[]> {
  let counted = archives.filter(({ refused, damaged }) => refused === undefined && damaged === undefined);
  for (;;) {
    const reasons = reasonsByPolicy(counted, policy, now);
    const bad = await findBad(successors(counted, reasons), examine);
    if (bad === undefined) return archives.map((archive) => verdictOn(archive, reasons));
    counted = counted.filter((archive) => archive !== bad);
  }
}

async function findBad(archives: Iterable<JudgedArchive>, examine: Examiner): Promise<JudgedArchive | undefined> {
  for (const archive of archives) {
    const state = await examine(archive);
    if (state === "damaged" || state === "refused" || state === "gone") return archive;
  }
  return undefined;
}

type Reasons = ReadonlyMap<string, readonly PruneKeepReason[]>;

/**
 * Returns the archives that must be whole before older archives are removed: the newest archive, and each kept archive whose next
 * older archive is removed. Good and suspect archives form separate sequences. Empty if nothing is removed.
 * @param counted the newest first
 */
function successors(counted: readonly JudgedArchive[], reasons: Reasons): ReadonlySet<JudgedArchive> {
  const found = new Set<JudgedArchive>();
  for (const sequence of partition(counted, isGood)) {
    let lastKept: JudgedArchive | undefined;
    for (const archive of sequence) {
      if ((reasons.get(archive.name) ?? []).length > 0) lastKept = archive;
      else if (lastKept !== undefined) found.add(lastKept).add(sequence[0] ?? lastKept);
    }
  }
  return found;
}

/**
 * Returns the policy's reasons to keep each archive, by the archive's name.
 * @param counted the newest first
 */
function reasonsByPolicy(counted: readonly JudgedArchive[], policy: RetentionPolicy, now: number): Reasons {
  const verdicts = partition(counted, isGood).flatMap((sequence) =>
    judgeArchives(
      sequence,
      policy,
      ({ at }) => at,
      now,
      ({ entry }) => entry?.recordsDigest,
    ),
  );
  return new Map(verdicts.map(({ item, reasons }) => [item.name, reasons]));
}

/** @param reasons of the archives that are counted */
function verdictOn(judged: JudgedArchive, reasons: Reasons): PruneVerdict {
  const { entry: _entry, refused, state: _state, damaged: _damaged, ...archive } = judged;
  const uncounted = refused === undefined ? ("damaged" as const) : ("not-recognised" as const);
  const why = reasons.get(archive.name) ?? [uncounted];
  return { archive, action: why.length === 0 ? "remove" : "keep", reasons: why };
}
