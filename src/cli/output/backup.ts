import type { BackupEnd } from "../../backup/backup-all.ts";
import { countChanges } from "../../backup/changes.ts";
import type { BackupResult } from "../../backup/backup.ts";
import type { BackupSummary } from "../../backup/history.ts";
import { formatSize, pluralize, quoteShellWord } from "../../core/text/format.ts";
import { pluralOf } from "../../kinds/nouns.ts";
import { printableText } from "../../core/text/printable.ts";
import type { ArchiveProtection } from "../../library/export-archive.ts";
import { changedRecordLines, changesSentence, timeInName } from "../../report/view/backup-changes.ts";
import type { BackupFigures } from "../../telemetry/channel.ts";
import { exitCodeOfError, sharedExitCode, type ExitCode } from "../program/exit-codes.ts";
import { errorMembers, type CommandResult } from "./document.ts";
import { renderTable, type Cell } from "./table.ts";
import { problemLine, type OutputOptions, type Theme } from "./terminal.ts";
import { verdictMembers } from "../commands/prune.ts";

/** @param backup the run that made or confirmed the newest backup, if there was one */
export function backupFigures(state: BackupSummary, backup?: Pick<BackupResult, "changes" | "records">): BackupFigures {
  const changed = backup?.changes?.records;
  const { archives, suspect, records, bytes, goodAt, ageMs } = state;
  return {
    archives,
    suspect,
    records,
    bytes,
    ...(changed !== undefined && { changes: countChanges(changed, Object.keys(backup?.records ?? {})) }),
    ...(ageMs !== undefined && { newestGoodAgeSeconds: ageMs / 1000 }),
    ...(goodAt !== undefined && { newestGoodAt: goodAt / 1000 }),
  };
}

/** Renders the result of a backup run: a row for each stack, then the problems. */
function backupText(
  ends: readonly BackupEnd[],
  repository: string,
  protection: ArchiveProtection,
  display: OutputOptions,
): string {
  const { theme } = display;
  if (ends.length === 0) return "no stack belongs to this shard\n";
  const rows = ends.map((end): Cell[] => {
    if (end.result === "failed")
      return [end.stack, { text: `✗ failed: ${end.error.code}`, paint: theme.bad }, "", "", ""];
    const removed = end.pruned.filter(({ action }) => action === "remove").length;
    const lacking = end.newlyPartial.length + end.forbidden.length > 0 ? "incomplete" : undefined;
    const flaw = end.suspect.length > 0 ? "suspect" : lacking;
    return [
      end.stack,
      flaw === undefined
        ? { text: `✓ ${end.result}`, paint: theme.good }
        : { text: `✗ ${end.result}, ${flaw}`, paint: theme.bad },
      formatSize(end.bytes),
      String(removed),
      end.archive,
    ];
  });
  const columns = ["STACK", "RESULT", { right: "STORED" }, { right: "REMOVED" }, { below: "NEWEST" }];
  const failed = ends.flatMap((end) => (end.result === "failed" ? [end] : []));
  const problems = failed.map(({ stack, error }) => problemLine(`${stack}: ${error.message}`, error.hint, theme));
  const notes = ends.flatMap((end) => (end.result === "failed" ? [] : notesOn(end, repository, theme)));
  const good = ends.length - failed.length;
  const summary = `${good} of ${ends.length} backed up to ${printableText(repository)}${protectionText(protection)}\n`;
  const news = ends.flatMap((end) => (end.result === "failed" ? [] : newsOf(end, repository)));
  // A single failure is already printed as the error of the run.
  return [
    renderTable({ columns, rows }, display),
    ...news,
    ...(ends.length > 1 ? problems : []),
    ...notes,
    summary,
  ].join("");
}

/** Says how the archives of a run are protected: `, encrypted for 2 recipients and signed`. */
function protectionText({ encryption, signer }: ArchiveProtection): string {
  const readers =
    encryption === undefined
      ? ""
      : "passphrase" in encryption
        ? "encrypted with the passphrase"
        : `encrypted for ${pluralize(encryption.recipients.length, "recipient")}`;
  const parts = [readers, signer === undefined ? "" : "signed"].filter((part) => part !== "");
  return parts.length === 0 ? "" : `, ${parts.join(" and ")}`;
}

/** The number of changed records that a run names. */
const MAX_CHANGED = 5;

/** Says how many records a stack has, and what changed since its last good backup. */
function newsOf({ stack, records, changes, archive, suspect }: BackupResult, repository: string): string[] {
  const lines = changedRecordLines(changes?.records ?? []);
  const more = lines.length - MAX_CHANGED;
  const at = (name: string): string => quoteShellWord(`${repository}/${stack}@${timeInName(name)}`);
  // The history leaves suspect backups out.
  const command =
    changes !== undefined && suspect.length > 0
      ? `diff ${at(changes.since)} ${at(archive)}`
      : `log ${quoteShellWord(`${repository}/${stack}`)}`;
  const rest = `… and ${more} more: stackferry ${command}`;
  return [
    `${stack}: ${changesSentence(records, changes)}`,
    ...lines.slice(0, MAX_CHANGED).map((line) => `  ${line}`),
    ...(more > 0 ? [`  ${rest}`] : []),
  ].map((line) => `${printableText(line)}\n`);
}

/** Renders what only a person can judge: a first backup, less content than before, a suspect backup. */
function notesOn(backup: BackupResult, repository: string, theme: Theme): string[] {
  const { stack, archive, isFirst, newlyPartial, forbidden, suspect } = backup;
  const notice = (text: string): string => theme.notice(`${printableText(text)}\n`);
  const problem = (text: string): string => problemLine(`${archive} ${text}`, undefined, theme);
  return [
    // An emptied repository without any record of its backups looks like a new one.
    ...(isFirst ? [notice(`first backup of ${stack} here (${repository})`)] : []),
    ...newlyPartial.map((kind) =>
      problem(`lacks some of the ${kind} of the stack, as the warnings say; later runs only warn of this`),
    ),
    ...forbidden.map((kind) =>
      problem(`lacks the ${pluralOf(kind)} of the stack: their list was refused, as the warnings say`),
    ),
    ...(suspect.length === 0 ? [] : [`  ${printableText(suspectHint(backup, repository))}\n`]),
  ];
}

/** A kind that the key may not read, or a repository that lost its backups, is to be mended, not accepted. */
function suspectHint({ stack, forbidden, suspect }: BackupResult, repository: string): string {
  if (forbidden.length > 0)
    return "give the key its right again; if the stack's backups are meant to lack this kind, list the others as its kinds: in stackferry.yaml";
  const hint = acceptHint(stack, repository);
  return suspect.some(({ code }) => code === "missing-backup")
    ? `look first whether the disk of ${repository} is mounted and who emptied it; ${hint}`
    : hint;
}

/** Returns the next step after a suspect backup. */
export function acceptHint(stack: string, repository: string): string {
  const command = `stackferry check ${repository} --stack ${stack} --newest --accept-suspect`;
  return `check the stack, its address and its keys; if this is on purpose: ${command}`;
}

/** Returns the result of a backup run: exit code, text, and the figures for notifications. */
export function resultOfBackups(
  ends: readonly BackupEnd[],
  repository: string,
  protection: ArchiveProtection = {},
): CommandResult {
  const [first] = ends;
  const abortedBy = ends.length === 1 && first?.result === "failed" ? first.error : undefined;
  return {
    exitCode: exitCodeOfBackups(ends),
    text: (display) => backupText(ends, repository, protection, display),
    abortedBy,
    stackEnds: ends.map((end) => ({
      stack: end.stack,
      exitCode: exitCodeOfBackups([end]),
      ...(end.summary !== undefined && {
        backup: backupFigures(end.summary, end.result === "failed" ? undefined : end),
      }),
    })),
    details: {
      repository,
      encrypted: protection.encryption !== undefined,
      signed: protection.signer !== undefined,
      stacks: ends.map(describeEnd),
    },
  };
}

/**
 * Three sorts of backups are stored but are no success: suspect ones, those that lack records which the stack newly hides, and
 * those that lack kinds which the key may not read.
 */
function exitCodeOfBackups(ends: readonly BackupEnd[]): ExitCode {
  return sharedExitCode(
    ends.map((end) => {
      if (end.result === "failed") return exitCodeOfError(end.error);
      return end.suspect.length + end.newlyPartial.length + end.forbidden.length > 0 ? 3 : 0;
    }),
  );
}

function describeEnd(end: BackupEnd): Readonly<Record<string, unknown>> {
  if (end.result !== "failed") {
    const { summary: _state, ...rest } = end;
    return { ...rest, pruned: end.pruned.map(verdictMembers) };
  }
  return { stack: end.stack, result: end.result, error: errorMembers(end.error) };
}
