import { resolve } from "node:path";
import { parsePeriod } from "../../config/time.ts";
import type { LogEntry, StackLog } from "../../core/diff.ts";
import { StackferryError } from "../../core/errors.ts";
import { fitText } from "../../core/text/fit-width.ts";
import { pluralize } from "../../core/text/format.ts";
import { printableText } from "../../core/text/printable.ts";
import { commitBackups, type CommitWords } from "../../history/commit-backups.ts";
import { readLog } from "../../history/read-log.ts";
import { namedKinds } from "../../library/steps/selection.ts";
import { changedRecordLines } from "../../report/view/backup-changes.ts";
import { changeCounts, logDocument, notesOn } from "../../report/view/diff.ts";
import { openGitFolder } from "../../storage/git-folder.ts";
import type { backupCommands } from "../flags/backup-commands.ts";
import type { Arguments } from "../flags/outline.ts";
import { parseSelection, type Selection } from "../flags/selection.ts";
import { documentText } from "../output/text.ts";
import type { ExitCode } from "../program/exit-codes.ts";
import { defineCommand } from "../program/parse/define-command.ts";
import type { Session } from "../program/session.ts";
import { parseBackupReference } from "../wiring/named-input.ts";
import { createBackupDependencies } from "../wiring/backup.ts";
import { createRunRedactor } from "../wiring/config.ts";
import { openRepositoryFor } from "../wiring/repository.ts";

export const logCommand = defineCommand("log", {
  prepare: (args) => {
    if (args.git !== undefined) refuseSelection(args);
    return { ...args, ...parseSelection(args) };
  },
  run: async (request, session) => {
    if (request.git !== undefined) return await commitHistory({ ...request, git: request.git }, session);
    const log = await readStackLog(request, session);
    return {
      exitCode: exitCodeOfLog(log),
      text: (display) => documentText(logDocument(log, [], request.patch), display),
      details: { log },
    };
  },
});

export async function readStackLog(
  { backups, since, kinds, filter }: Selection & HistoryRange,
  session: Session,
): Promise<StackLog> {
  const { address, ...range } = rangeOf({ backups, since }, session);
  const job = {
    ...range,
    kinds: namedKinds(kinds).map(({ name }) => name),
    filter,
    redact: await createRunRedactor(session),
  };
  await using repository = await openRepositoryFor(address, session);
  return await readLog(job, await createBackupDependencies(repository, session), session);
}

interface HistoryRange {
  readonly backups: string;
  readonly since?: string | undefined;
}

function rangeOf({ backups, since }: HistoryRange, { startedAt }: Session) {
  const { repository: address, stack, version } = parseBackupReference(backups, startedAt);
  const until = version === "latest" ? undefined : version.notAfter;
  return { address, stack, since: since === undefined ? undefined : startOf(since, startedAt), until };
}

/** @throws StackferryError `usage` for flags that leave out records, because a commit is a whole backup */
function refuseSelection(
  args: Pick<Arguments<typeof backupCommands.log.flags>, "kinds" | "include" | "exclude" | "patch">,
): void {
  if (args.kinds === undefined && args.include.length + args.exclude.length === 0 && !args.patch) return;
  throw new StackferryError("usage", "--git writes whole backups, without --kinds, --include, --exclude and --patch", {
    hint: "choose records with git: git log -- dashboards/",
  });
}

/** Writes the backups as commits, and warns of each that is left out. */
async function commitHistory(request: HistoryRange & { readonly git: string }, session: Session) {
  const { address, ...range } = rangeOf(request, session);
  const path = resolve(session.io.cwd, request.git);
  const folder = await openGitFolder(path, session.io.env);
  const redact = await createRunRedactor(session);
  // The YAML writer takes long to load, so it is loaded only for this flag.
  const { createCodeFiles } = await import("../../archive/as-code/write/code-files.ts");
  await using repository = await openRepositoryFor(address, session);
  const dependencies = await createBackupDependencies(repository, session);
  const job = { ...range, redact, filesOf: createCodeFiles(), describe: commitWords };
  const { commits, skipped, head } = await commitBackups(job, folder, dependencies, session);
  for (const { archive, problem } of skipped) {
    const warning = { code: problem.code, message: `${archive} is left out: ${problem.message}` };
    session.events({ type: "warning", warning });
  }
  return {
    exitCode: exitCodeOfEntries([...commits, ...skipped]),
    text: () => commitsText(request.git, commits),
    details: { commits, skipped, ...(head !== undefined && { head }) },
  };
}

function commitsText(folder: string, commits: readonly Pick<LogEntry, "time">[]): string {
  const [first] = commits;
  const last = commits.at(-1);
  if (first === undefined || last === undefined) return `${printableText(folder)} has every backup: no new commit\n`;
  const [from, to] = [first, last].map(({ time }) => time.replace(".000", ""));
  const which = from === to ? from : `${from} to ${to}`;
  return `${pluralize(commits.length, "commit")} added to ${printableText(folder)}: ${which}\n`;
}

function startOf(since: string, now: number): number {
  const period = parsePeriod(since, now) ?? parsePeriod(`-${since}`, now);
  if (period !== undefined) return period.start;
  throw new StackferryError("usage", `--since ${since} is not a time`, {
    hint: "write 2026-11-20, 2026-11-20T04:15, yesterday or 7d (UTC)",
  });
}

/** Returns 3 if changes may be missing from the log, else 0. */
export function exitCodeOfLog({ entries }: StackLog): ExitCode {
  return exitCodeOfEntries(entries);
}

function exitCodeOfEntries(entries: readonly Partial<Pick<LogEntry, "problem" | "notRead">>[]): ExitCode {
  return entries.some(isUnread) ? 3 : 0;
}

/** Tells whether changes of a backup may be missing from the log. */
function isUnread({ problem, notRead = [] }: Partial<Pick<LogEntry, "problem" | "notRead">>): boolean {
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

/** Maximum width of a subject: `git log --oneline` and most viewers cut longer ones. */
const SUBJECT_WIDTH = 72;

/** Says what changed with a backup, as `log` and `backup` say it: one change in the subject, several below their counts. */
function commitWords(entry: LogEntry | undefined, records: number, isFirst: boolean): CommitWords {
  if (isFirst) return { subject: pluralize(records, "record"), body: "" };
  if (entry === undefined) return { subject: "Nothing changed", body: "" };
  const lines = changedRecordLines(entry.changes).map((line) => printableText(line));
  const notes = notesOn(entry);
  const title = changeCounts(entry.changes);
  const [line = title] = lines;
  const subject = lines.length > 1 ? title : fitText(line, SUBJECT_WIDTH);
  const body = [...(subject === line ? [] : lines), ...notes.map(({ text }) => printableText(text))];
  return { subject, body: body.join("\n") };
}
