import { StackferryError } from "../core/errors.ts";
import type { RunContext } from "../core/events.ts";
import { listStoredArchives } from "./archive-names.ts";
import type { BackupDependencies } from "./dependencies.ts";
import { examineStoredArchive } from "./open-stored-archive.ts";
import { readHistory } from "./history/read-history.ts";
import { takeStackLock } from "./stack-lock.ts";
import { writeStatus, type ArchiveEntry } from "./history/status.ts";

/**
 * Marks an archive's entry as accepted if the archive is suspect, or holds less than the good archive before it; returns any other
 * entry unchanged. The mark means: the user says that the stack really holds so little.
 */
export function markAccepted(entry: ArchiveEntry): ArchiveEntry {
  const { suspect: _suspect, ...rest } = entry;
  return needsAcceptance(entry) ? { ...rest, accepted: true } : entry;
}

/** Tells whether an archive is suspect, or holds less than the good archive before it and was not accepted. */
function needsAcceptance({ suspect = [], shrunkFrom, accepted }: ArchiveEntry): boolean {
  return suspect.length > 0 || (shrunkFrom !== undefined && accepted !== true);
}

/**
 * Accepts the newest archive of a stack if the archive is suspect, or holds less than the good archive before it. Later archives
 * are then compared with the accepted archive. Returns the archive's name; undefined if there is nothing to accept.
 * @throws StackferryError `archive-damaged` if the archive is damaged or cannot be read, `locked` if another run holds the lock
 */
export async function acceptNewestArchive(
  stack: string,
  dependencies: BackupDependencies,
  context: RunContext,
): Promise<string | undefined> {
  // For a stack without archives, no lock is taken: the lock would create a folder for a mistyped name.
  if ((await listStoredArchives(dependencies.repository, stack, context.signal)).length === 0) return undefined;
  await using lock = await takeStackLock(stack, dependencies, context);
  const history = await readHistory(stack, dependencies, context);
  const newest = history.archives.find(({ refused }) => refused === undefined);
  if (newest?.entry === undefined || !needsAcceptance(newest.entry)) return undefined;
  const { name, entry } = newest;
  const examined = await examineStoredArchive(newest, { depth: "records", entry }, dependencies, context);
  if (examined.state !== "good") {
    const problem =
      examined.state === "gone" || examined.state === "encrypted" ? "it cannot be read" : examined.problem;
    throw new StackferryError("archive-damaged", `${name} cannot be accepted: ${problem}`, {
      hint: "run a new backup with --accept-suspect instead",
    });
  }
  await lock.assertHeld();
  await writeStatus(stack, markAccepted(entry), history.archives, dependencies.repository);
  return name;
}
