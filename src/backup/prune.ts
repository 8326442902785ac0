import type { RunContext } from "../core/events.ts";
import type { BackupDependencies } from "./dependencies.ts";
import { examineStored } from "./examine.ts";
import type { JudgedArchive } from "./history/read-history.ts";
import { isGood, readHistory } from "./history/read-history.ts";
import type { StackLock } from "./lock.ts";
import type { StoredArchive } from "./names.ts";
import { newestGood } from "./history/newest-good.ts";
import type { KeepReason, RetentionPolicy } from "./retention.ts";
import { judge } from "./retention.ts";

/** Why an archive stays: the policy's reasons, or a rule that no policy overrides. */
export type StayReason = KeepReason | "newest-good" | "no-good-archive" | "not-recognised";

export interface PruneVerdict {
  readonly archive: StoredArchive;
  readonly action: "keep" | "remove";
  /** Empty for those that go. */
  readonly reasons: readonly StayReason[];
}

export interface PruneInput {
  readonly stack: string;
  readonly policy: RetentionPolicy;
  /** A dry run removes nothing and needs no lock. */
  readonly lock: StackLock | "dry-run";
  /** The name of an archive that this run has just proved good. */
  readonly knownGood?: string | undefined;
}

/**
 * Removes the archives of a stack that the policy gives no reason to keep, the oldest first. The newest good archive always
 * stays. Everything stays while no good archive is known, and so does a file that is not recognised as an archive. Suspect
 * archives are counted apart, so that a good one never goes because newer ones hold less.
 */
export async function pruneStack(
  input: PruneInput,
  dependencies: BackupDependencies,
  context: RunContext,
): Promise<PruneVerdict[]> {
  const { stack, lock } = input;
  const { repository } = dependencies;
  const { archives } = await readHistory(stack, dependencies, context);
  const verdicts = judgeAll(archives, input, dependencies.clock.now());
  if (verdicts.every(({ action }) => action === "keep")) return verdicts;
  const good = input.knownGood ?? (await newestGood(archives, dependencies, context)).good?.archive.name;
  const decided: PruneVerdict[] = [];
  for (const verdict of verdicts.toReversed()) {
    context.signal?.throwIfAborted();
    const stays =
      verdict.action === "keep" ? undefined : await reasonToStay(verdict.archive, good, dependencies, context);
    if (stays !== undefined) decided.push({ ...verdict, action: "keep", reasons: [stays] });
    else decided.push(verdict);
    if (lock === "dry-run" || verdict.action === "keep" || stays !== undefined) continue;
    lock.assertHeld();
    await repository.remove(verdict.archive.name);
    await repository.remove(`${verdict.archive.name}.sig`);
  }
  return decided.toReversed();
}

/** What the policy says of each archive, the newest first. */
function judgeAll(archives: readonly JudgedArchive[], { policy }: PruneInput, now: number): PruneVerdict[] {
  const reasons = new Map<string, readonly StayReason[]>();
  const ours = archives.filter(({ refused }) => refused === undefined);
  for (const some of [ours.filter(isGood), ours.filter((archive) => !isGood(archive))]) {
    for (const verdict of judge(some, policy, ({ at }) => at, now)) reasons.set(verdict.item.name, verdict.reasons);
  }
  return archives.map((judged): PruneVerdict => {
    const { entry: _entry, refused: _refused, ...archive } = judged;
    const why = reasons.get(archive.name) ?? ["not-recognised"];
    return { archive, action: why.length === 0 ? "remove" : "keep", reasons: why };
  });
}

async function reasonToStay(
  archive: StoredArchive,
  good: string | undefined,
  dependencies: BackupDependencies,
  context: RunContext,
): Promise<StayReason | undefined> {
  if (good === undefined) return "no-good-archive";
  if (archive.name === good) return "newest-good";
  const { state } = await examineStored(archive, { depth: "manifest" }, dependencies, context);
  return state === "damaged" || state === "refused" ? "not-recognised" : undefined;
}
