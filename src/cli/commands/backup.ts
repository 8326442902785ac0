import { readersDigest } from "../../archive/age.ts";
import type { BackupInput, BackupResult, Exporter } from "../../backup/backup.ts";
import { backupAll, failedBackupResult, shardForStack, type BackupEnd } from "../../backup/backup-all.ts";
import type { RepositorySettings } from "../../config/repositories.ts";
import { StackferryError } from "../../core/errors.ts";
import { exportToArchive, WHOLE_STACK_EXPORT, type ArchiveProtection } from "../../library/export-archive.ts";
import {
  numberFlag,
  recipientFlag,
  repositoryArgument,
  retentionFlags,
  retentionPolicyOf,
  signFlag,
  stacksArgument,
} from "../program/flags.ts";
import type { Session } from "../program/session.ts";
import { acceptHint, backupFigures } from "./check.ts";
import { verdictMembers } from "./prune.ts";
import { formatSize, pluralize, quoteShellWord } from "../../core/text/format.ts";
import { printableText } from "../../core/text/printable.ts";
import { pluralOf } from "../../kinds/nouns.ts";
import { errorMembers, type CommandResult } from "../output/document.ts";
import { renderTable, type Cell } from "../output/table.ts";
import { problemLine, type OutputOptions, type Theme } from "../output/terminal.ts";
import { exitCodeOfError, sharedExitCode, type ExitCode } from "../program/exit-codes.ts";
import { keyFingerprint } from "../../archive/signature.ts";
import { createFindChanges } from "../../history/changes-since.ts";
import type { StackSettings } from "../../config/stacks/stack-settings.ts";
import { defineCommand } from "../program/define-command.ts";
import { chooseProtection, refuseOtherSignature, type ProtectionOptions } from "../inputs/keys.ts";
import { createRunRedactor } from "../inputs/config.ts";
import { createBackupContext, openRepositoryFor, repositorySettingsFor } from "../inputs/repository.ts";
import { configuredStackNames, openClient, resolveStack, toReportedStack } from "../inputs/stack.ts";
import { refuseStackFolder } from "../inputs/argument.ts";
import { changedRecordLines, changesSentence, disappearedText, timeInName } from "../../report/view/backup-changes.ts";

/** Stacks can be backed up in parallel, because each has its own client and rate limit. */
const DEFAULT_PARALLEL = 4;

/** A stack that fails does not stop the others. */
export const command = defineCommand({
  positionals: { stack: stacksArgument },
  flags: {
    all: { type: "boolean", describe: "Back up every stack of the configuration" },
    to: { ...repositoryArgument },
    "if-changed": {
      type: "boolean",
      describe: "Store nothing if the newest backup is undamaged and has the same content",
    },
    shard: {
      advanced: true,
      implies: "all",
      describe: "With --all: back up one of N groups of stacks: 0/10, 1/10, … 9/10",
    },
    parallel: {
      advanced: true,
      describe: `How many stacks to back up at a time (default: ${DEFAULT_PARALLEL})`,
    },
    ...retentionFlags,
    recipient: recipientFlag,
    sign: signFlag,
    "plain-text": {
      type: "boolean",
      conflicts: ["recipient"],
      describe: "Store plain text, even if the repository's other backups are encrypted",
    },
  },
  examples: [
    ["backup production --to /var/backups/stacks", "one more backup, under /var/backups/stacks/production"],
    [
      "backup --all --to s3://backups/stacks --if-changed --keep-daily 7 --keep-weekly 8",
      "for a scheduler: store a backup only if the stack changed, and prune",
    ],
    ["backup --all --shard 3/10 --to offsite", "back up one of ten groups of stacks"],
  ],
  exitCodes: [0, 1, 2, 3, 4, 5, 6, 130],
  run: async (args, session) => {
    const { stack: stacks, all, plainText } = args;
    if (all && stacks.length > 0) throw new StackferryError("usage", "give either stack names or --all, not both");
    if (!all && stacks.length === 0) throw new StackferryError("usage", "give the names of stacks, or --all");
    const shard = args.shard === undefined ? undefined : shardOfText(args.shard);
    const parallel = numberFlag(args.parallel, "--parallel", { least: 1, most: 64 }) ?? DEFAULT_PARALLEL;
    const settings = await repositorySettingsFor(args.to, session);
    const policy = retentionPolicyOf(args, settings);
    const protection = await chooseProtection(protectionOf(args, settings), session, settings.keyFiles);
    await refuseOtherSignature(protection.signer, settings.keyFiles?.signer);
    await using repository = await openRepositoryFor(args.to, session);
    await refuseStackFolder(args.to, repository, session.signal);
    const names = all ? await stacksOfShard(shard, session) : stacks;
    const context = { ...(await createBackupContext(repository, session)), events: withoutDeadLinks(session) };
    const options = { ifChanged: args.ifChanged, plainText, policy };
    const { inputs, unresolved } = await inputsOf(names, options, protection, session);
    const failed = await Promise.all(unresolved.map(({ stack, error }) => failedBackupResult(stack, error, context)));
    const ends = [...failed, ...(await backupAll(inputs, parallel, context))];
    if (session.globals.quiet) await emitDisappeared(ends, session);
    return resultOfBackups(ends, repository.address, protection);
  },
});

/** Under `--quiet`, does not print warnings of dangling references: cron would mail them after every run. */
function withoutDeadLinks({ events, globals, runState }: Session): Session["events"] {
  if (!globals.quiet) return events;
  return (event) => {
    if (event.type === "warning" && event.warning.code === "dead-reference") runState.warnings.push(event.warning);
    else events(event);
  };
}

function protectionOf(
  { recipient, sign, plainText }: ProtectionOptions,
  settings: RepositorySettings,
): ProtectionOptions {
  const isTold = recipient.length > 0 || plainText;
  return { recipient: isTold ? recipient : (settings.recipients ?? []), sign: sign ?? settings.sign, plainText };
}

async function stacksOfShard(shard: Shard | undefined, session: Session): Promise<string[]> {
  const stacks = await configuredStackNames(session);
  return stacks.filter((name) => shard === undefined || shardForStack(name, shard.count) === shard.index);
}

async function inputsOf(
  names: readonly string[],
  options: Pick<BackupInput, "ifChanged" | "policy" | "plainText">,
  protection: ArchiveProtection,
  session: Session,
) {
  const inputs = new Map<string, BackupInput>();
  const unresolved: { readonly stack: string; readonly error: StackferryError }[] = [];
  const encryptedFor = protection.encryption && readersDigest(protection.encryption);
  const signedBy = protection.signer && keyFingerprint(protection.signer);
  const findChanges = createFindChanges(await createRunRedactor(session));
  for (const name of names) {
    try {
      const settings = await resolveStack(name, "from", session);
      const stack = settings.stackName;
      if (inputs.has(stack))
        throw new StackferryError("usage", `two of the stacks would be stored as ${stack}`, {
          hint: "give each stack a name of its own in stackferry.yaml, or name only one of them",
        });
      const exportTo = createExporter(settings, protection, session);
      inputs.set(stack, { stack, exportTo, encryptedFor, signedBy, findChanges, ...options });
      if (names.length === 1) session.runState.from = toReportedStack(settings);
    } catch (error) {
      if (!(error instanceof StackferryError)) throw error;
      unresolved.push({ stack: name, error });
    }
  }
  return { inputs: [...inputs.values()], unresolved };
}

/** A successful `--quiet` run prints no result, so a warning tells which records are gone. */
async function emitDisappeared(ends: readonly BackupEnd[], { events }: Session): Promise<void> {
  for (const end of ends) {
    if (end.result === "failed" || end.suspect.length > 0 || end.changes === undefined) continue;
    const text = disappearedText(end.records, end.changes);
    if (text !== "") events({ type: "warning", warning: { code: "records-gone", message: `${end.stack}: ${text}` } });
  }
}

interface Shard {
  readonly index: number;
  readonly count: number;
}

function shardOfText(text: string): Shard {
  const [, index, count] = /^(\d{1,6})\/(\d{1,6})$/.exec(text)?.map(Number) ?? [];
  if (index !== undefined && count !== undefined && index < count) return { index, count };
  throw new StackferryError("usage", "--shard must be I/N, with I from 0 to N-1", {
    hint: "in an indexed Kubernetes job with 10 completions, use $JOB_COMPLETION_INDEX/10",
  });
}

/** The exporter throws for an unreadable record or kind, except a kind to which the key has no right. */
function createExporter(settings: StackSettings, protection: ArchiveProtection, session: Session): Exporter {
  return async ({ path, stack, createdAt }, { events }) => {
    const stackSession = { ...session, events };
    await using client = openClient(settings, stackSession);
    const redact = await createRunRedactor(session);
    const job = { ...WHOLE_STACK_EXPORT, ...protection, path, stack, client, settings, redact, now: createdAt };
    const { archive, recordsDigest, kinds, incomplete } = await exportToArchive(job, stackSession);
    return { contentDigest: archive.contentDigest, recordsDigest, kinds, source: client.identity, incomplete };
  };
}

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
  const failed = ends.filter((end) => end.result === "failed");
  const stored = ends.filter((end) => end.result !== "failed");
  const problems = failed.map(({ stack, error }) => problemLine(`${stack}: ${error.message}`, error.hint, theme));
  const summary = `${stored.length} of ${ends.length} backed up to ${printableText(repository)}${protectionText(protection)}\n`;
  return [
    renderTable({ columns, rows }, display),
    ...stored.flatMap((end) => newsOf(end, repository)),
    // The error of the run already reports the failure of a single stack.
    ...(ends.length > 1 ? problems : []),
    ...stored.flatMap((end) => notesOn(end, repository, theme)),
    summary,
  ].join("");
}

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

const MAX_CHANGED = 5;

function newsOf({ stack, records, changes, archive, suspect }: BackupResult, repository: string): string[] {
  const lines = changedRecordLines(changes?.records ?? []);
  const more = lines.length - MAX_CHANGED;
  const at = (name: string): string => quoteShellWord(`${repository}/${stack}@${timeInName(name)}`);
  // `log` leaves out suspect backups, so the hint for a suspect backup is a `diff`.
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

function notesOn(backup: BackupResult, repository: string, theme: Theme): string[] {
  const { stack, archive, isFirst, newlyPartial, forbidden, suspect } = backup;
  const notice = (text: string): string => theme.notice(`${printableText(text)}\n`);
  const problem = (text: string): string => problemLine(`${archive} ${text}`, undefined, theme);
  return [
    // Shown, because a first backup can also mean that somebody has emptied the repository.
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

function suspectHint({ stack, forbidden, suspect }: BackupResult, repository: string): string {
  if (forbidden.length > 0)
    return "give the key its right again; if the stack's backups are meant to lack this kind, list the others as its kinds: in stackferry.yaml";
  const hint = acceptHint(stack, repository);
  return suspect.some(({ code }) => code === "missing-backup")
    ? `look first whether the disk of ${repository} is mounted and who emptied it; ${hint}`
    : hint;
}

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
