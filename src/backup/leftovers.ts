import type { RunContext } from "../core/events.ts";
import { isFileListed, sideFileName, type StoredArchive } from "./archive-names.ts";
import { isFromFuture } from "./clock.ts";
import type { BackupDependencies } from "./dependencies.ts";
import type { StackHistory } from "./history.ts";
import { examineStoredArchive } from "./open-stored-archive.ts";

/** What a run leaves behind is removed after this time by the repository's clock. Until then, the run may still be at work. */
const LEFTOVER_MS = 86_400_000;

/**
 * Removes what killed runs of a stack have left: half-written files, claims on a time, files beside an archive that is gone, and
 * archives that were never completed and cannot be opened. Removes nothing while an archive is dated later than now.
 */
export async function removeLeftovers(
  { archives, sideFiles, halfWritten }: StackHistory,
  dependencies: BackupDependencies,
  context: RunContext,
): Promise<void> {
  const { repository, clock } = dependencies;
  if (archives.some((archive) => isFromFuture(archive, clock.now()))) return;
  const before = clock.now() - LEFTOVER_MS;
  for (const { name, modifiedAt } of halfWritten) if (modifiedAt < before) await repository.remove(name);
  for (const archive of archives) {
    const isLeft = !archive.isComplete && archive.modifiedAt < before;
    if (!isLeft || !(await isTorn(archive, dependencies, context))) continue;
    await repository.remove(archive.name);
    await repository.remove(`${archive.name}.sig`);
  }
  const times = new Set(archives.map(({ at }) => at));
  const newest = Math.max(...times);
  for (const { name, at, ending, modifiedAt } of sideFiles) {
    // An entry that is newer than every archive shows that somebody removed the newest one. A confirmation has a time of its own.
    const isOrphan = !times.has(at) && ending !== "unchanged" && (ending !== "json" || at < newest);
    if (modifiedAt < before && (ending.startsWith("run-") || isOrphan)) await repository.remove(name);
  }
}

/** Tells whether an archive cannot be opened, and no slow run has completed it meanwhile. */
async function isTorn(archive: StoredArchive, dependencies: BackupDependencies, context: RunContext): Promise<boolean> {
  const examined = await examineStoredArchive(archive, "manifest", dependencies, context);
  if (examined.state !== "flawed" || examined.flaw.code !== "damaged-backup") return false;
  return !(await isFileListed(sideFileName(archive, "json"), dependencies.repository, context.signal));
}
