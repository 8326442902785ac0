import { StackferryError } from "../core/errors.ts";
import type { RunContext } from "../core/events.ts";
import type { StoredArchive } from "./archive-names.ts";
import type { BackupDependencies } from "./dependencies.ts";
import { readHistory, suspectReasonsOf, type JudgedArchive } from "./history.ts";
import { emitMissingWarning } from "./known-backups.ts";
import { shrinkageText } from "./suspect.ts";
import { examineStoredArchive } from "./open-stored-archive.ts";

/**
 * `latest`: the newest good archive of the stack. `notAfter`: the newest archive that was made at this time (Unix milliseconds) or
 * earlier.
 */
export type ArchiveChoice = "latest" | { readonly notAfter: number };

export interface ChosenArchive extends StoredArchive {
  /** True if the archive is suspect. It is chosen nevertheless, because the user named its time. */
  readonly isSuspect?: boolean;
  /** Remarks on the archive: why it is suspect, and which kinds hold less than in the good archive before it. */
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
  const { archives } = history;
  await emitMissingWarning(history, dependencies, context);
  if (archives.length === 0) throw noBackupError(stack, "", dependencies);
  if (choice === "latest") return chooseLatest(stack, archives, dependencies, context);
  const chosen = archives.find((archive) => isMeant(archive, choice.notAfter));
  if (chosen === undefined) {
    if (archives.some(({ at, state }) => state === "ahead" && at <= choice.notAfter))
      throw aheadError(stack, dependencies);
    throw noBackupError(stack, ` from before ${new Date(choice.notAfter).toISOString()}`, dependencies);
  }
  await refuseBad(chosen, dependencies, context);
  if (chosen.state !== undefined) {
    const isAhead = chosen.state === "ahead";
    const message = `${chosen.name} is ${isAhead ? "dated in the future" : "unfinished"}; it is used because you named its time`;
    context.events({ type: "warning", warning: { code: isAhead ? "clock-differs" : "unfinished-backup", message } });
  }
  const [reason] = suspectReasonsOf(chosen);
  if (reason !== undefined) {
    const message = `${chosen.name} is suspect (${reason.message}); it is used because you named its time`;
    context.events({ type: "warning", warning: { code: "suspect-backup", message } });
  }
  return { ...chosen, isSuspect: reason !== undefined, notes: notesOn(chosen) };
}

/**
 * Tells whether the user's time selects an archive. An archive that is dated in the future, or unfinished, is selected only if the
 * user gives its time to the second: otherwise "today" could select it by accident.
 */
function isMeant({ at, state }: JudgedArchive, notAfter: number): boolean {
  return at <= notAfter && (state === undefined || notAfter - at < 1000);
}

async function chooseLatest(
  stack: string,
  archives: readonly JudgedArchive[],
  dependencies: BackupDependencies,
  context: RunContext,
): Promise<ChosenArchive> {
  const { good, passedOver } = await findNewestGood(archives, dependencies, context);
  // The newest archive may be encrypted, and its key may be missing. This archive is chosen nevertheless: without the key the
  // import fails, whereas an older archive would be mistaken for the newest one.
  const bad = new Set(passedOver.map(({ archive }) => archive));
  const chosen = archives.find((archive) => archive === good || (archive.encrypted && !bad.has(archive.name)));
  if (chosen === undefined) {
    if (archives.every(({ state }) => state === "ahead")) throw aheadError(stack, dependencies);
    const problems = passedOver.map(({ archive, problem }) => `${archive}: ${problem}`).slice(0, MAX_PROBLEMS);
    throw new StackferryError(
      "archive-damaged",
      `no backup of ${stack} in ${dependencies.repository.address} is good: ${problems.join("; ")}`,
      { hint: hintFor(passedOver, dependencies) },
    );
  }
  for (const { archive, code, problem } of passedOver) {
    const message = `${archive} is ${code.replace("-backup", "")} (${problem}); ${chosen.name} is used instead`;
    context.events({ type: "warning", warning: { code, message } });
  }
  return { ...chosen, notes: notesOn(chosen) };
}

/**
 * Returns the hint for a stack without a good archive. A suspect archive can still be restored. A damaged archive, or one without
 * the right signature, can only be replaced from another copy of the repository, because no run stores such an archive.
 */
function hintFor(passedOver: readonly PassedOver[], { checksSignature }: BackupDependencies): string {
  if (passedOver.some(({ code }) => code === "suspect-backup")) {
    return "a suspect backup can still be restored: name its time, REPO/STACK@TIME";
  }
  return checksSignature
    ? "use another copy of the repository; do not restore an archive that is not signed with this key unless you know why it is not"
    : "use another copy of the repository";
}

function notesOn(archive: JudgedArchive): string[] {
  const { entry } = archive;
  const shrunk = entry?.shrunkFrom === undefined ? "" : shrinkageText(entry.shrunkFrom, entry.kinds);
  const suspect = suspectReasonsOf(archive).map(({ message }) => `This backup is suspect: ${message}.`);
  return shrunk === "" ? suspect : [...suspect, `It holds less than the good backup before it: ${shrunk}.`];
}

const MAX_PROBLEMS = 3;

/** Throws if the archive that the user selected by time is bad. No older archive is selected instead. */
async function refuseBad(chosen: JudgedArchive, dependencies: BackupDependencies, context: RunContext): Promise<void> {
  const { name, entry } = chosen;
  const examined = await examineStoredArchive(chosen, { depth: "manifest", entry }, dependencies, context);
  if (examined.state !== "damaged" && examined.state !== "refused") return;
  throw new StackferryError("archive-damaged", `${name} cannot be restored: ${examined.problem}`, {
    hint:
      examined.state === "damaged"
        ? "name an earlier time, or use another copy of the repository"
        : "name an earlier time, or give the path of this file to `stackferry import`",
  });
}

/** Returns the error for a stack without a backup, or without a backup from the given time. */
export function noBackupError(stack: string, when: string, { repository }: BackupDependencies): StackferryError {
  return new StackferryError("usage", `${repository.address} has no backup of ${stack}${when}`, {
    hint: `stackferry list ${repository.address} shows the backups`,
  });
}

/** Returns the error for a stack whose backups are all dated in the future, as if the clock of this machine were wrong. */
function aheadError(stack: string, { repository, clock }: BackupDependencies): StackferryError {
  const now = new Date(clock.now()).toISOString();
  const problem = `each backup of ${stack} in ${repository.address} that could be meant is dated later than this machine's clock, ${now}`;
  return new StackferryError("archive-damaged", problem, {
    hint: "set the clock if it is behind; if another clock was ahead, name the time of a backup to the second",
  });
}

/** An archive that was passed over although it is newer than the chosen one, and the reason. */
export interface PassedOver {
  readonly archive: string;
  readonly code: "damaged-backup" | "refused-backup" | "suspect-backup" | "unfinished-backup";
  readonly problem: string;
}

/**
 * Finds the newest good archive of a stack, and lists the newer archives that are not good. Usually this reads one archive.
 * @param archives the newest first
 */
async function findNewestGood(
  archives: readonly JudgedArchive[],
  dependencies: BackupDependencies,
  context: RunContext,
): Promise<{ readonly good?: JudgedArchive; readonly passedOver: readonly PassedOver[] }> {
  const passedOver: PassedOver[] = [];
  for (const archive of archives) {
    const { name, entry, refused, state } = archive;
    const reasons = suspectReasonsOf(archive);
    const code = state === "unfinished" ? ("unfinished-backup" as const) : ("refused-backup" as const);
    if (refused !== undefined) passedOver.push({ archive: name, code, problem: refused });
    if (reasons.length > 0) {
      const problem = reasons.map(({ message }) => message).join("; ");
      passedOver.push({ archive: name, code: "suspect-backup", problem });
    }
    if (refused !== undefined || reasons.length > 0) continue;
    const examined = await examineStoredArchive(archive, { depth: "records", entry }, dependencies, context);
    if (examined.state === "good") return { good: archive, passedOver };
    if (examined.state === "damaged" || examined.state === "refused") {
      passedOver.push({ archive: name, code: `${examined.state}-backup`, problem: examined.problem });
    }
  }
  return { passedOver };
}
