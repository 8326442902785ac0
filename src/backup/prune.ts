import { getOrMake, partition } from "../core/collections.ts";
import { sideFileName, type StoredArchive } from "./archive-names.ts";
import { areClocksTrusted, type PruneContext } from "./clock.ts";
import type { BackupContext } from "./backup-context.ts";
import { findNewestGood, isBackup, isGood, readHistory, type JudgedArchive, type StackHistory } from "./history.ts";
import { examineStoredArchive, type ExaminedArchive } from "./open-stored-archive.ts";
import type { RetentionPolicy } from "../core/retention-policy.ts";
import { judgeArchives, type KeepReason } from "./retention.ts";

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
  readonly archive: JudgedArchive;
  readonly action: "keep" | "remove";
  /** The reasons to keep the archive; empty if the archive is removed. */
  readonly reasons: readonly PruneKeepReason[];
}

export interface PruneInput {
  readonly stack: string;
  readonly policy: RetentionPolicy;
  readonly dryRun?: boolean;
}

/**
 * Removes the archives of a stack that the policy gives no reason to keep, the oldest first. Always keeps the newest good archive,
 * and damaged, refused and unfinished archives. Keeps everything while no good archive is known, or while a clock may be wrong.
 * Before an archive is removed, the next newer archive that stays must prove readable, or encrypted for a key that is not given.
 */
export async function pruneStack(
  { stack, policy, dryRun = false }: PruneInput,
  context: PruneContext,
): Promise<PruneVerdict[]> {
  const history = await readHistory(stack, context);
  const { archives } = history;
  if (!areClocksTrusted(history, context)) {
    return archives.map((archive) => ({ archive, action: "keep", reasons: ["clock-differs"] }));
  }
  const examined = new Map<string, Promise<ExaminedArchive>>();
  const examine = (archive: JudgedArchive): Promise<ExaminedArchive> => {
    context.signal?.throwIfAborted();
    return getOrMake(examined, archive.name, () => examineStoredArchive(archive, "records", context));
  };
  const isWhole = async (archive: JudgedArchive): Promise<boolean> => {
    const { state } = await examine(archive);
    return state === "good" || state === "sealed";
  };
  const counted = archives.filter((archive) => isBackup(archive) && archive.flaw?.code !== "damaged-backup");
  const reasons = await reasonsToKeep(counted, policy, isWhole);
  const verdicts = archives.map((archive): PruneVerdict => {
    const why = reasons.get(archive) ?? [isBackup(archive) ? "damaged" : "not-recognised"];
    return { archive, action: why.length === 0 ? "remove" : "keep", reasons: why };
  });
  if (verdicts.every(({ action }) => action === "keep")) return verdicts;
  // A newer archive may be good for another run, which has other keys. So no archive without a flaw is removed if it is
  // newer than the newest archive that this run knows as good.
  const { good } = await findNewestGood(archives, examine);
  const safe = verdicts.map((verdict) => {
    if (good === undefined) return keptFor(verdict, "no-good-archive");
    const { archive } = verdict;
    return isGood(archive) && archive.at >= good.at ? keptFor(verdict, "newest-good") : verdict;
  });
  return dryRun ? safe : await removeArchives(safe, history, context);
}

function keptFor(verdict: PruneVerdict, reason: PruneKeepReason): PruneVerdict {
  return verdict.action === "keep" ? verdict : { ...verdict, action: "keep", reasons: [reason] };
}

/** Before each removal, checks that all archives that are kept still exist, because another run may have removed one. */
async function removeArchives(
  verdicts: readonly PruneVerdict[],
  history: StackHistory,
  context: BackupContext,
): Promise<PruneVerdict[]> {
  const { repository, signal } = context;
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
      await removeArchive(verdict.archive, context);
    }
    decided.push(verdict);
  }
  await removeConfirmations(verdicts, history, context);
  return decided.toReversed();
}

/**
 * Removes the archive before its signature, so that no reader finds an archive without a signature. Removes the entry
 * last, because the entry tells a later run which archive is gone.
 */
async function removeArchive(archive: StoredArchive, { repository }: BackupContext): Promise<void> {
  await repository.remove(archive.name);
  await repository.remove(`${archive.name}.sig`);
  if (archive.isAccepted) await repository.remove(sideFileName(archive, "accepted"));
  await repository.remove(sideFileName(archive, "json"));
}

/** Removes the confirmations of removed archives. For each archive that is kept, keeps only the newest confirmation. */
async function removeConfirmations(
  verdicts: readonly PruneVerdict[],
  { sideFiles }: StackHistory,
  { repository }: BackupContext,
): Promise<void> {
  const kept = new Set(
    verdicts.flatMap(({ archive, action }) => (action === "keep" ? archive.confirmations.slice(0, 1) : [])),
  );
  for (const { name, at, ending } of sideFiles) {
    if (ending === "unchanged" && !kept.has(at)) await repository.remove(name);
  }
}

/**
 * Returns the policy's reasons to keep each archive. Suspect archives are counted separately, so that they never take
 * the place of a good archive. Before an archive may go, reads the newest archive and the next newer archive that
 * stays. If one of these two is damaged, that archive does not count, and all others are judged again.
 * @param counted the newest first
 */
async function reasonsToKeep(
  counted: readonly JudgedArchive[],
  policy: RetentionPolicy,
  isWhole: (archive: JudgedArchive) => Promise<boolean>,
): Promise<ReadonlyMap<JudgedArchive, readonly PruneKeepReason[]>> {
  const found = new Map<JudgedArchive, readonly PruneKeepReason[]>();
  for (const sequence of partition(counted, isGood)) {
    let newer = sequence[0];
    for (const [archive, reasons] of judgeArchives(sequence, policy)) {
      found.set(archive, reasons);
      if (reasons.length > 0) {
        newer = archive;
        continue;
      }
      for (const needed of [sequence[0], newer]) {
        if (needed === undefined || (await isWhole(needed))) continue;
        const others = counted.filter((other) => other !== needed);
        return reasonsToKeep(others, policy, isWhole);
      }
    }
  }
  return found;
}
