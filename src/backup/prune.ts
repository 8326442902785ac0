import type { RunContext } from "../core/events.ts";
import type { BackupDependencies } from "./dependencies.ts";
import { examineStored, newestGood } from "./examine.ts";
import type { StackLock } from "./lock.ts";
import type { StoredArchive } from "./names.ts";
import { storedArchives } from "./names.ts";
import type { KeepReason, RetentionPolicy } from "./retention.ts";
import { judge } from "./retention.ts";
import { readStatus } from "./status.ts";

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
 * stays. Everything stays while no good archive is known, and so does a file that is not recognised as an archive.
 */
export async function pruneStack(
  input: PruneInput,
  dependencies: BackupDependencies,
  context: RunContext,
): Promise<PruneVerdict[]> {
  const { stack, policy, lock } = input;
  const { repository, clock } = dependencies;
  const archives = await storedArchives(repository, stack, context.signal);
  const judged = judge(archives, policy, ({ at }) => at, clock.now());
  const verdicts = judged.map(({ item: archive, reasons }): PruneVerdict => {
    return { archive, action: reasons.length === 0 ? "remove" : "keep", reasons };
  });
  if (verdicts.every(({ action }) => action === "keep")) return verdicts;
  const status = await readStatus(stack, repository);
  const good = input.knownGood ?? (await newestGood(archives, status, dependencies, context))?.archive.name;
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

async function reasonToStay(
  archive: StoredArchive,
  good: string | undefined,
  dependencies: BackupDependencies,
  context: RunContext,
): Promise<StayReason | undefined> {
  if (good === undefined) return "no-good-archive";
  if (archive.name === good) return "newest-good";
  const { state } = await examineStored(archive, { depth: "manifest" }, dependencies, context);
  return state === "damaged" ? "not-recognised" : undefined;
}
