import { StackferryError } from "../core/errors.ts";
import type { RunContext } from "../core/events.ts";
import { isFromFuture } from "./clock.ts";
import type { BackupContext } from "./backup-context.ts";
import { emitMissingWarning } from "./earlier-backups.ts";
import { findNewestGood, readHistory, type JudgedArchive, type StackHistory } from "./history.ts";
import { examineStoredArchive, type BackupFlaw } from "./open-stored-archive.ts";

/** `notAfter` is in Unix milliseconds. */
export type ArchiveChoice = "latest" | { readonly notAfter: number };

/** @throws StackferryError `usage` if no archive fits; `archive-damaged` if the archive cannot be restored */
export async function selectBackup(
  stack: string,
  choice: ArchiveChoice,
  context: BackupContext,
): Promise<JudgedArchive> {
  const history = await readHistory(stack, context);
  await emitMissingWarning(history, context);
  if (history.archives.length === 0) throw noBackupError(stack, "", context);
  if (choice === "latest") return chooseLatest(history, context);
  return chooseByTime(choice.notAfter, history, context);
}

async function chooseLatest({ stack, archives }: StackHistory, context: BackupContext): Promise<JudgedArchive> {
  const examine = (archive: JudgedArchive) => examineStoredArchive(archive, "records", context);
  // Accepts an archive that no given key opens: otherwise, the user would take an older archive for the newest.
  const { good: chosen, passedOver } = await findNewestGood(archives, examine, ["good", "sealed"]);
  if (chosen === undefined) {
    const problems = passedOver.map(({ archive, message }) => `${archive.name}: ${message}`).slice(0, MAX_PROBLEMS);
    const place = context.repository.address;
    throw new StackferryError("archive-damaged", `no backup of ${stack} in ${place} is good: ${problems.join("; ")}`, {
      hint: passedOver.some(({ code }) => code === "suspect-backup")
        ? "a suspect backup can still be restored: name its time, REPO/STACK@TIME"
        : "use another copy of the repository",
    });
  }
  for (const { archive, ...flaw } of passedOver) warnOf(archive, flaw, `${chosen.name} is used instead`, context);
  return chosen;
}

const MAX_PROBLEMS = 3;

/** Chooses a future or unfinished archive only if the user names its second. */
async function chooseByTime(
  notAfter: number,
  { stack, archives }: StackHistory,
  context: BackupContext,
): Promise<JudgedArchive> {
  const now = context.clock.now();
  const chosen = archives.find((archive) => {
    const isOrdinary = archive.flaw?.code !== "unfinished-backup" && !isFromFuture(archive, now);
    return archive.at <= notAfter && (isOrdinary || notAfter - archive.at < 1000);
  });
  if (chosen === undefined) {
    const when = ` from before ${new Date(notAfter).toISOString()}`;
    const near = archives.find(({ at }) => at <= notAfter);
    if (near?.flaw === undefined) throw noBackupError(stack, when, context);
    const message = `no backup of ${stack}${when} counts: ${near.name}: ${near.flaw.message}`;
    throw new StackferryError("archive-damaged", message);
  }
  const examined = await examineStoredArchive(chosen, "manifest", context);
  if (examined.state === "flawed") {
    throw new StackferryError("archive-damaged", `${chosen.name} cannot be restored: ${examined.flaw.message}`, {
      hint: "name an earlier time, or give the path of another copy of this file to `stackferry import`",
    });
  }
  const { flaw } = chosen;
  if (flaw !== undefined) warnOf(chosen, flaw, "it is used because you named its time", context);
  return chosen;
}

function warnOf(
  { name }: JudgedArchive,
  { code, message: problem }: BackupFlaw,
  what: string,
  { events }: RunContext,
): void {
  const message = `${name} is ${code.replace("-backup", "")} (${problem}); ${what}`;
  events({ type: "warning", warning: { code, message } });
}

export function noBackupError(stack: string, when: string, { repository }: BackupContext): StackferryError {
  return new StackferryError("usage", `${repository.address} has no backup of ${stack}${when}`, {
    hint: `stackferry list ${repository.address} shows the backups`,
  });
}
