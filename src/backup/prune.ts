import { getOrMake, partition } from "../core/collections.ts";
import { sideFileName, type StoredArchive } from "./archive-names.ts";
import { areClocksTrusted, type PruneContext } from "./clock.ts";
import type { BackupContext } from "./backup-context.ts";
import { findNewestGood, isBackup, isGood, readHistory, type JudgedArchive, type StackHistory } from "./history.ts";
import { examineStoredArchive, type ExaminedArchive } from "./open-stored-archive.ts";
import type { RetentionPolicy } from "../core/retention-policy.ts";
import { judgeArchives, type KeepReason } from "./retention.ts";

/** All reasons but `KeepReason` override the policy. */
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
  readonly reasons: readonly PruneKeepReason[];
}

export interface PruneInput {
  readonly stack: string;
  readonly policy: RetentionPolicy;
  readonly dryRun?: boolean;
}

/** Removes nothing without a good archive and trusted clocks. The next newer kept archive must be readable or sealed. */
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
  // Keeps unflawed archives that are newer than `good`: another run may have the key that opens them.
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

/** Lists again before each removal, because another run may have removed a kept archive. */
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
  await removeConfirmations(decided, history, context);
  return decided.toReversed();
}

/** Removes the archive before its signature. Removes the entry last, to tell a later run which archive is gone. */
async function removeArchive(archive: StoredArchive, { repository }: BackupContext): Promise<void> {
  await repository.remove(archive.name);
  await repository.remove(`${archive.name}.sig`);
  if (archive.isAccepted) await repository.remove(sideFileName(archive, "accepted"));
  await repository.remove(sideFileName(archive, "json"));
}

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
 * Judges suspect archives separately, so that they do not displace good archives. Leaves a damaged archive out and judges again.
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
