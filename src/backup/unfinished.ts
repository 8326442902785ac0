import { StackferryError } from "../core/errors.ts";
import { writeEntry } from "./archive-entry.ts";
import { isFileListed, sideFileName, type StoredArchive } from "./archive-names.ts";
import { isFromFuture } from "./clock.ts";
import type { BackupContext } from "./backup-context.ts";
import { judgeNewArchive, readEarlierBackups, recordGoodBackup } from "./earlier-backups.ts";
import { readHistory, type JudgedArchive, type StackHistory } from "./history.ts";
import { examineStoredArchive } from "./open-stored-archive.ts";

/** Completes the archive of a run that was killed before it wrote the entry. */
export async function completeUnfinished(stack: string, context: BackupContext): Promise<void> {
  const { archives } = await readHistory(stack, context);
  for (const archive of archives.filter(({ flaw }) => flaw?.code === "unfinished-backup").toReversed()) {
    const problem = await completeArchive(archive, context);
    if (problem === undefined) continue;
    const message = `${archive.name} is unfinished and does not count: ${problem}`;
    context.events({ type: "warning", warning: { code: "unfinished-backup", message } });
  }
}

/** Returns why the archive is still unfinished; undefined if the archive is completed or gone. */
async function completeArchive(archive: JudgedArchive, context: BackupContext): Promise<string | undefined> {
  const examined = await examineStoredArchive(archive, "records", context);
  if (examined.state === "gone") return undefined;
  if (examined.state === "flawed") return examined.flaw.message;
  if (examined.state === "sealed" || !examined.isOpened) return "no given key opens it";
  // Reads the list again, because an earlier archive may have been completed just now.
  const history = await readHistory(archive.stack, context);
  const { lossReason } = await readEarlierBackups(history, context);
  const surroundings = { archives: history.archives.filter(({ at }) => at < archive.at), lossReason };
  const entry = await judgeNewArchive(examined.entry, archive, surroundings, context);
  try {
    await writeEntry(archive, entry, context.repository);
    if (entry.suspect === undefined) await recordGoodBackup(history, context);
  } catch (error) {
    if (!(error instanceof StackferryError)) throw error;
    return error.message;
  }
  return undefined;
}

/** A younger file, by the repository's clock, can belong to a run still at work. */
const LEFTOVER_MS = 86_400_000;

/** Removes nothing while an archive is dated later than now. */
export async function removeLeftovers({ archives, sideFiles }: StackHistory, context: BackupContext): Promise<void> {
  const { repository, clock } = context;
  if (archives.some((archive) => isFromFuture(archive, clock.now()))) return;
  const before = clock.now() - LEFTOVER_MS;
  for (const archive of archives) {
    const isLeft = !archive.isComplete && archive.modifiedAt < before;
    if (!isLeft || !(await isTorn(archive, context))) continue;
    await repository.remove(archive.name);
    await repository.remove(`${archive.name}.sig`);
  }
  const times = new Set(archives.map(({ at }) => at));
  const newest = Math.max(...times);
  for (const { name, at, ending, modifiedAt } of sideFiles) {
    // Keeps confirmations, and an entry newer than all archives, which shows that somebody removed its archive.
    const isOrphan = !times.has(at) && ending !== "unchanged" && (ending !== "json" || at < newest);
    if (modifiedAt < before && (ending.startsWith("run-") || isOrphan)) await repository.remove(name);
  }
}

async function isTorn(archive: StoredArchive, context: BackupContext): Promise<boolean> {
  const examined = await examineStoredArchive(archive, "manifest", context);
  if (examined.state !== "flawed" || examined.flaw.code !== "damaged-backup") return false;
  return !(await isFileListed(sideFileName(archive, "json"), context.repository, context.signal));
}
