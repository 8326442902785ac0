import { StackferryError } from "../core/errors.ts";
import type { RunContext } from "../core/events.ts";
import type { StoredArchive } from "./archive-names.ts";
import { isFromFuture } from "./clock.ts";
import type { BackupDependencies } from "./dependencies.ts";
import { findNewestGood, readHistory, suspectReasonsOf, type JudgedArchive } from "./history.ts";
import { emitMissingWarning } from "./known-backups.ts";
import { examineStoredArchive } from "./open-stored-archive.ts";

/** The newest good archive, or the newest of this time (Unix milliseconds) or before. */
export type ArchiveChoice = "latest" | { readonly notAfter: number };

export interface ChosenArchive extends StoredArchive {
  /** True if the archive is suspect. It is chosen nevertheless, because the user named its time. */
  readonly isSuspect: boolean;
  /** Remarks on the archive: why it is suspect. */
  readonly notes: readonly string[];
}

/**
 * Selects an archive to restore.
 * @throws StackferryError `usage` if the stack has no such archive; `archive-damaged` if no archive is good, or if the archive that
 * the time names is damaged or not one of this stack's backups
 */
export async function selectBackup(
  stack: string,
  choice: ArchiveChoice,
  dependencies: BackupDependencies,
  context: RunContext,
): Promise<ChosenArchive> {
  const history = await readHistory(stack, dependencies, context);
  await emitMissingWarning(history, dependencies, context);
  if (history.archives.length === 0) throw noBackupError(stack, "", dependencies);
  const choose = choice === "latest" ? chooseLatest : chooseByTime(choice.notAfter);
  const chosen = await choose(stack, history.archives, dependencies, context);
  const notes = suspectReasonsOf(chosen).map(({ message }) => `This backup is suspect: ${message}.`);
  return { ...chosen, isSuspect: notes.length > 0, notes };
}

type Choose = (
  stack: string,
  archives: readonly JudgedArchive[],
  dependencies: BackupDependencies,
  context: RunContext,
) => Promise<JudgedArchive>;

const chooseLatest: Choose = async (stack, archives, dependencies, context) => {
  const { good, passedOver } = await findNewestGood(archives, (archive) =>
    examineStoredArchive(archive, "records", dependencies, context),
  );
  // The newest archive may be encrypted, and its key may be missing. This archive is chosen nevertheless: without the key the
  // import fails, whereas an older archive would be mistaken for the newest one.
  const bad = new Set(passedOver.map(({ archive }) => archive));
  const chosen = archives.find((archive) => archive === good || (archive.encrypted && !bad.has(archive)));
  if (chosen === undefined) {
    const problems = passedOver.map(({ archive, message }) => `${archive.name}: ${message}`).slice(0, MAX_PROBLEMS);
    const place = dependencies.repository.address;
    throw new StackferryError("archive-damaged", `no backup of ${stack} in ${place} is good: ${problems.join("; ")}`, {
      hint: passedOver.some(({ code }) => code === "suspect-backup")
        ? "a suspect backup can still be restored: name its time, REPO/STACK@TIME"
        : "use another copy of the repository",
    });
  }
  for (const { archive, code, message: problem } of passedOver) {
    const message = `${archive.name} is ${code.replace("-backup", "")} (${problem}); ${chosen.name} is used instead`;
    context.events({ type: "warning", warning: { code, message } });
  }
  return chosen;
};

const MAX_PROBLEMS = 3;

/** If the archive of that time is bad, no older one is chosen instead. */
function chooseByTime(notAfter: number): Choose {
  return async (stack, archives, dependencies, context) => {
    const now = dependencies.clock.now();
    const chosen = archives.find((archive) => isMeant(archive, notAfter, now));
    if (chosen === undefined) {
      const when = ` from before ${new Date(notAfter).toISOString()}`;
      const near = archives.find(({ at }) => at <= notAfter);
      if (near === undefined) throw noBackupError(stack, when, dependencies);
      throw new StackferryError(
        "archive-damaged",
        `no backup of ${stack}${when} counts: ${near.name}: ${near.flaw?.message}`,
      );
    }
    const examined = await examineStoredArchive(chosen, "manifest", dependencies, context);
    if (examined.state === "flawed") {
      throw new StackferryError("archive-damaged", `${chosen.name} cannot be restored: ${examined.flaw.message}`, {
        hint: "name an earlier time, or give the path of another copy of this file to `stackferry import`",
      });
    }
    const { flaw } = chosen;
    if (flaw !== undefined) {
      const message = `${chosen.name} is ${flaw.code.replace("-backup", "")} (${flaw.message}); it is used because you named its time`;
      context.events({ type: "warning", warning: { code: flaw.code, message } });
    }
    return chosen;
  };
}

/**
 * Tells whether the user's time selects an archive. An archive that is dated in the future, or unfinished, is selected only if the
 * user gives its time to the second: otherwise "today" could select it by accident.
 */
function isMeant(archive: JudgedArchive, notAfter: number, now: number): boolean {
  const { at, flaw } = archive;
  const isOrdinary = flaw?.code !== "unfinished-backup" && !isFromFuture(archive, now);
  return at <= notAfter && (isOrdinary || notAfter - at < 1000);
}

/** Returns the error for a stack without a backup, or without a backup from the given time. */
export function noBackupError(stack: string, when: string, { repository }: BackupDependencies): StackferryError {
  return new StackferryError("usage", `${repository.address} has no backup of ${stack}${when}`, {
    hint: `stackferry list ${repository.address} shows the backups`,
  });
}
