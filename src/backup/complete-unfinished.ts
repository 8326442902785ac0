import { StackferryError } from "../core/errors.ts";
import type { RunContext } from "../core/events.ts";
import { writeEntry } from "./archive-entry.ts";
import type { BackupDependencies } from "./dependencies.ts";
import { compareWithBaseline, lastGoodOf, entryOfManifest, readHistory, type JudgedArchive } from "./history.ts";
import { readEarlierBackups, recordGoodBackup } from "./known-backups.ts";
import { examineStoredArchive } from "./open-stored-archive.ts";
import { findOtherReaders } from "./other-readers.ts";

/**
 * Completes the archives of a stack whose run was killed after it had stored them: reads each one, and writes its missing entry. An
 * archive that cannot be read, or a repository that cannot be written, leaves it unfinished, and a warning says so.
 */
export async function completeUnfinished(
  stack: string,
  dependencies: BackupDependencies,
  context: RunContext,
): Promise<void> {
  const { archives } = await readHistory(stack, dependencies, context);
  for (const archive of archives.filter(({ flaw }) => flaw?.code === "unfinished-backup").toReversed()) {
    const problem = await completeArchive(archive, dependencies, context);
    if (problem === undefined) continue;
    const message = `${archive.name} is unfinished and does not count: ${problem}`;
    context.events({ type: "warning", warning: { code: "unfinished-backup", message } });
  }
}

/** Returns why the archive stays unfinished; undefined if it was completed, or is gone. */
async function completeArchive(
  archive: JudgedArchive,
  dependencies: BackupDependencies,
  context: RunContext,
): Promise<string | undefined> {
  const examined = await examineStoredArchive(archive, "records", dependencies, context);
  if (examined.state === "gone") return undefined;
  if (examined.state === "flawed") return examined.flaw.message;
  if (examined.state === "sealed" || examined.manifest === undefined) return "no given key opens it";
  // Read again, because an archive before it may have been completed just now.
  const history = await readHistory(archive.stack, dependencies, context);
  const { lossReason } = await readEarlierBackups(history, dependencies);
  const lastGood = lastGoodOf(history.archives.filter(({ at }) => at < archive.at));
  const about = entryOfManifest(archive, examined.manifest, examined);
  // The run that was killed has left no entry, which would name the readers.
  const others = archive.encrypted ? await findOtherReaders(undefined, lastGood, dependencies, context) : [];
  const more = lossReason === undefined ? others : [lossReason, ...others];
  const entry = compareWithBaseline(about, lastGood?.entry, dependencies.minShare, more);
  try {
    await writeEntry(archive, entry, dependencies.repository);
    if (entry.suspect === undefined) await recordGoodBackup(history, dependencies);
  } catch (error) {
    if (!(error instanceof StackferryError)) throw error;
    return error.message;
  }
  return undefined;
}
