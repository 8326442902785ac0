import { resolve } from "node:path";
import { StackferryError } from "../../core/errors.ts";
import type { CommandResult } from "../output/document.ts";
import type { Session } from "../program/session.ts";
import { parseSelection, selectionFlags, type Selection } from "../program/flags.ts";
import { changeCounts, logDocument, notesOn } from "../../report/view/diff.ts";
import { documentText } from "../output/text.ts";
import { commitBackups, type CommitWords } from "../../history/commit-backups.ts";
import type { LogEntry, StackLog } from "../../core/diff.ts";
import { fitText } from "../../core/text/fit-width.ts";
import { pluralize } from "../../core/text/format.ts";
import { printableText } from "../../core/text/printable.ts";
import { changedRecordLines } from "../../report/view/backup-changes.ts";
import { parsePeriod } from "../../config/time.ts";
import { readLog } from "../../history/read-log.ts";
import { namedKinds } from "../../library/steps/selection.ts";
import type { ExitCode } from "../program/exit-codes.ts";
import { defineCommand } from "../program/define-command.ts";
import { createRunRedactor } from "../inputs/config.ts";
import { createBackupContext, openRepositoryFor } from "../inputs/repository.ts";
import { parseBackupReference } from "../inputs/argument.ts";

export const command = defineCommand({
  positionals: {
    backups: {
      demandOption: true,
      describe: "REPO/STACK, or REPO/STACK@TIME for its history up to that time (UTC)",
    },
  },
  flags: {
    ...selectionFlags,
    since: {
      describe: "Only backups since this time (UTC): 2026-11-20, or 7d for seven days ago",
    },
    patch: {
      type: "boolean",
      describe: "Show whole values, not only their first 40 characters",
    },
    git: {
      writes: true,
      // A commit has the whole backup, so flags that select or show changes are refused.
      conflicts: ["kinds", "include", "exclude", "patch"],
      describe: "Write each backup as a commit of code files into this git repository; a later run adds the new ones",
    },
  },
  examples: [
    ["log /var/backups/stacks/production", "what changed between the backups, the newest first"],
    [
      'log offsite/production --include "Checkout" --patch',
      "the changes of one dashboard, under all names that it has had",
    ],
    ["log offsite/production --kinds alerts --since 7d", "alerts that were added, removed or changed in seven days"],
    ["log offsite/production --git ./history", "the history as commits, for git log, git blame and every viewer"],
  ],
  exitCodes: [0, 1, 2, 3, 4, 5, 6, 130],
  run: async (args, session) => {
    const { git } = args;
    if (git !== undefined) return commitHistory({ ...args, git }, session);
    const log = await readStackLog({ ...args, ...parseSelection(args) }, session);
    return {
      exitCode: exitCodeOfLog(log.entries),
      text: (display) => documentText(logDocument(log, [], args.patch), display),
      details: { log },
    };
  },
});

async function commitHistory(
  request: HistoryRange & { readonly git: string },
  session: Session,
): Promise<CommandResult> {
  const { createCodeFiles } = await import("../../archive/as-code/code-of-record.ts");
  const { openGitFolder } = await import("../../storage/git-folder.ts");
  const { address, ...range } = historyRangeOf(request, session);
  const folder = await openGitFolder(resolve(session.io.cwd, request.git), session.io.env);
  const redact = await createRunRedactor(session);
  await using repository = await openRepositoryFor(address, session);
  const job = { ...range, redact, filesOf: createCodeFiles(), describe: commitWords };
  const { commits, skipped, head } = await commitBackups(job, folder, await createBackupContext(repository, session));
  for (const { archive, problem } of skipped) {
    const warning = { code: problem.code, message: `${archive} is left out: ${problem.message}` };
    session.events({ type: "warning", warning });
  }
  return {
    exitCode: exitCodeOfLog([...commits, ...skipped]),
    text: () => commitsText(request.git, commits),
    details: { commits, skipped, head },
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

/** Many git viewers cut longer subjects. */
const SUBJECT_WIDTH = 72;

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

export interface HistoryRange {
  readonly backups: string;
  readonly since?: string | undefined;
}

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
  return await readLog(job, await createBackupContext(repository, session));
}

function historyRangeOf({ backups, since }: HistoryRange, { startedAt }: Session) {
  const { repository: address, stack, version } = parseBackupReference(backups, startedAt);
  const until = version === "latest" ? undefined : version.notAfter;
  return { address, stack, since: since === undefined ? undefined : startOf(since, startedAt), until };
}

function startOf(since: string, now: number): number {
  const period = parsePeriod(since, now) ?? parsePeriod(`-${since}`, now);
  if (period !== undefined) return period.start;
  throw new StackferryError("usage", `--since ${since} is not a time`, {
    hint: "write 2026-11-20, 2026-11-20T04:15 or 7d (UTC)",
  });
}

type ReadEntry = Partial<Pick<LogEntry, "problem" | "notRead">>;

export function exitCodeOfLog(entries: readonly ReadEntry[]): ExitCode {
  return entries.some(isUnread) ? 3 : 0;
}

/** A suspect backup is left out on purpose, so it does not count as unread. */
function isUnread({ problem, notRead = [] }: ReadEntry): boolean {
  const isProblem = problem !== undefined && problem.code !== "suspect-backup";
  return isProblem || notRead.some(({ reason }) => reason === "failed");
}

/** For a report in a file; a printed log contains the notes of `notesOn`. */
export function emitUnreadWarnings({ entries }: StackLog, { events }: Session): void {
  for (const entry of entries.filter(isUnread)) {
    const texts = notesOn(entry).flatMap(({ text, isFailure }) => (isFailure ? [text] : []));
    const message = `${entry.archive}: ${texts.join(" ")}`;
    events({ type: "warning", warning: { code: entry.problem?.code ?? "unreadable-record", message } });
  }
}
