import { parsePeriod } from "../../config/time.ts";
import type { LogEntry, StackLog } from "../../core/diff.ts";
import { StackferryError } from "../../core/errors.ts";
import { readLog } from "../../history/read-log.ts";
import { namedKinds } from "../../library/steps/selection.ts";
import { notesOn } from "../../report/view/diff.ts";
import type { ExitCode } from "../program/exit-codes.ts";
import type { Session } from "../program/session.ts";
import type { Selection } from "../program/shared-flags.ts";
import { createBackupDependencies } from "./backup.ts";
import { createRunRedactor } from "./config.ts";
import { parseBackupReference } from "./named-input.ts";
import { openRepositoryFor } from "./repository.ts";

/** The backups of a history, as the command line names them. */
export interface HistoryRange {
  readonly backups: string;
  readonly since?: string | undefined;
}

/** Reads what changed from backup to backup. */
export async function readStackLog(
  { backups, since, kinds, filter }: Selection & HistoryRange,
  session: Session,
): Promise<StackLog> {
  const { address, ...range } = historyRangeOf({ backups, since }, session);
  const job = {
    ...range,
    kinds: namedKinds(kinds).map(({ name }) => name),
    filter,
    redact: await createRunRedactor(session),
  };
  await using repository = await openRepositoryFor(address, session);
  return await readLog(job, await createBackupDependencies(repository, session), session);
}

/** Returns the repository, the stack and the times of a history. @throws StackferryError `usage` */
export function historyRangeOf({ backups, since }: HistoryRange, { startedAt }: Session) {
  const { repository: address, stack, version } = parseBackupReference(backups, startedAt);
  const until = version === "latest" ? undefined : version.notAfter;
  return { address, stack, since: since === undefined ? undefined : startOf(since, startedAt), until };
}

function startOf(since: string, now: number): number {
  const period = parsePeriod(since, now) ?? parsePeriod(`-${since}`, now);
  if (period !== undefined) return period.start;
  throw new StackferryError("usage", `--since ${since} is not a time`, {
    hint: "write 2026-11-20, 2026-11-20T04:15, yesterday or 7d (UTC)",
  });
}

type ReadEntry = Partial<Pick<LogEntry, "problem" | "notRead">>;

/** Returns 3 if changes may be missing from the history, else 0. */
export function exitCodeOfLog(entries: readonly ReadEntry[]): ExitCode {
  return entries.some(isUnread) ? 3 : 0;
}

/** Tells whether changes of a backup may be missing from the log. */
function isUnread({ problem, notRead = [] }: ReadEntry): boolean {
  const isProblem = problem !== undefined && problem.code !== "suspect-backup";
  return isProblem || notRead.some(({ reason }) => reason === "failed");
}

/** Warns of each backup whose changes may be missing, for a log that is not printed. */
export function emitUnreadWarnings({ entries }: StackLog, { events }: Session): void {
  for (const entry of entries.filter(isUnread)) {
    const texts = notesOn(entry).flatMap(({ text, isFailure }) => (isFailure ? [text] : []));
    const message = `${entry.archive}: ${texts.join(" ")}`;
    events({ type: "warning", warning: { code: entry.problem?.code ?? "unreadable-record", message } });
  }
}
