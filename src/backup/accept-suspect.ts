import { StackferryError } from "../core/errors.ts";
import type { RunContext } from "../core/events.ts";
import { sideFileName } from "./archive-names.ts";
import { completeUnfinished } from "./complete-unfinished.ts";
import type { BackupDependencies } from "./dependencies.ts";
import { newestOf, readHistory } from "./history.ts";
import { recordGoodBackup } from "./known-backups.ts";
import { examineStoredArchive } from "./open-stored-archive.ts";

/**
 * Accepts the newest archive of a stack if the archive is suspect: the user says that the stack really holds so little. Later archives are then compared with the accepted archive.
 * Returns the archive's name; undefined if there is nothing to accept.
 * @throws StackferryError `archive-damaged` if the archive is damaged or cannot be read
 */
export async function acceptNewestArchive(
  stack: string,
  dependencies: BackupDependencies,
  context: RunContext,
): Promise<string | undefined> {
  await completeUnfinished(stack, dependencies, context);
  const history = await readHistory(stack, dependencies, context);
  const newest = newestOf(history.archives);
  if (newest?.flaw?.code !== "suspect-backup") return undefined;
  const { name } = newest;
  const examined = await examineStoredArchive(newest, "records", dependencies, context);
  if (examined.state !== "good") {
    const problem = examined.state === "flawed" ? examined.flaw.message : "it cannot be read";
    throw new StackferryError("archive-damaged", `${name} cannot be accepted: ${problem}`, {
      hint: "run a new backup, and accept that one",
    });
  }
  await dependencies.repository.writeText(sideFileName(newest, "accepted"), "");
  await recordGoodBackup(history, dependencies);
  return name;
}
