import { defineCommand } from "../program/parse/define-command.ts";
import { parsePeriod } from "../../config/time.ts";
import { StackferryError } from "../../core/errors.ts";
import type { StackLog } from "../../core/diff.ts";
import { printableText } from "../../core/text/printable.ts";
import { readLog } from "../../history/read-log.ts";
import { pluralOf } from "../../kinds/nouns.ts";
import { namedKinds } from "../../library/steps/selection.ts";
import type { ChangeDetail } from "../../report/view/changes.ts";
import { logView, renamedText, type LogViewEntry } from "../../report/view/diff.ts";
import { parseSelection, type Selection } from "../flags/selection.ts";
import { diffLine, quotedRowName } from "../output/diff.ts";
import { linesText } from "../output/outcomes.ts";
import type { OutputOptions } from "../output/terminal.ts";
import type { ExitCode } from "../program/exit-codes.ts";
import type { Session } from "../program/session.ts";
import { createBackupDependencies } from "../wiring/backup.ts";
import { openRepositoryFor } from "../wiring/repository.ts";
import { parseBackupReference } from "../wiring/backup-reference.ts";
import { createRunRedactor } from "../wiring/config.ts";

export const logCommand = defineCommand("log", {
  prepare: (args) => ({ ...args, ...parseSelection(args) }),
  run: async (request, session) => {
    const log = await readStackLog(request, session);
    return {
      exitCode: exitCodeOfLog(log),
      text: (display) => logText(log, request.patch, display),
      details: { log },
    };
  },
});

export async function readStackLog(
  { backups, since, kinds, filter }: Selection & { readonly backups: string; readonly since?: string | undefined },
  session: Session,
): Promise<StackLog> {
  const { repository: address, stack, version } = parseBackupReference(backups, session.startedAt);
  const job = {
    stack,
    since: since === undefined ? undefined : startOf(since, session.startedAt),
    until: version === "latest" ? undefined : version.notAfter,
    kinds: namedKinds(kinds).map(({ name }) => name),
    filter,
    redact: await createRunRedactor(session),
  };
  await using repository = await openRepositoryFor(address, session);
  return await readLog(job, await createBackupDependencies(repository, session), session);
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
  const isUnread = entries.some(({ problem, notRead }) => {
    const isProblem = problem !== undefined && problem.code !== "suspect-backup";
    return isProblem || notRead.some(({ reason }) => reason === "failed");
  });
  return isUnread ? 3 : 0;
}

/** Renders a log: the backups that differ, the newest first, each with its records by kind; the counts last. */
function logText(log: StackLog, patch: boolean, display: OutputOptions): string {
  const { entries, summary, start } = logView(log);
  const parts = entries.map((entry) => `${entryText(entry, patch ? "whole" : "short", display)}\n`);
  return [...parts, `${summary}\n`, start === "" ? "" : `${printableText(start)}\n`].join("");
}

function entryText(
  { entry: { archive, time }, sections, notes }: LogViewEntry,
  detail: ChangeDetail,
  display: OutputOptions,
): string {
  const { theme } = display;
  const noteLines = notes.map(
    ({ text, isFailure }) => `${isFailure ? theme.bad(printableText(text)) : printableText(text)}\n`,
  );
  const kinds = sections.map(({ kind, rows }) => {
    const lines = rows.map((row) =>
      diffLine(row, [quotedRowName(row), renamedText(row.change)].filter((part) => part !== "").join(" "), detail),
    );
    // Lists every change, because the user asked for them.
    return `${theme.heading(pluralOf(kind))}\n${linesText(lines, { ...display, verbose: true })}`;
  });
  const title = `${time.replace(".000", "")}  ${archive}`;
  return [`${theme.strong(printableText(title))}\n`, ...noteLines, ...kinds].join("");
}
