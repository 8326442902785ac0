import { DEFAULT_PARALLEL } from "../flags/backup-commands.ts";
import { numberFlag } from "../flags/arguments.ts";
import { parseRetentionFlags } from "../flags/retention.ts";
import { defineCommand } from "../program/parse/define-command.ts";
import { opensWithPassphrase, readersDigest, type ArchiveEncryption } from "../../archive/age.ts";
import { keyFingerprint } from "../../archive/signature.ts";
import type { BackupInput } from "../../backup/backup.ts";
import type { Readers } from "../../backup/other-readers.ts";
import { backupAll, failedBackupResult, shardForStack, type BackupEnd } from "../../backup/backup-all.ts";
import { createFindChanges } from "../../history/changes-since.ts";
import type { RepositorySettings } from "../../config/repositories.ts";
import { StackferryError } from "../../core/errors.ts";
import type { ArchiveProtection } from "../../library/export-archive.ts";
import { backupFigures, backupText, disappearedText } from "../output/backup.ts";
import { verdictMembers, pruneResultText } from "../output/prune.ts";
import { errorMembers, type CommandResult } from "../output/document.ts";
import { exitCodeOfError, sharedExitCode, type ExitCode } from "../program/exit-codes.ts";
import type { Session } from "../program/session.ts";
import { chooseProtection, type ProtectionOptions } from "../wiring/archive-keys.ts";
import { refuseBackupIntoStack } from "../wiring/named-input.ts";
import { createBackupDependencies, retentionPolicyFor } from "../wiring/backup.ts";
import { configuredStackNames, toReportedStack, resolveStack } from "../wiring/stack.ts";
import { createRunRedactor } from "../wiring/config.ts";
import { createExporter } from "../wiring/export.ts";
import { openRepositoryFor, repositorySettingsFor } from "../wiring/repository.ts";

/** Backs up stacks into a repository and prunes their older backups there. A stack that fails does not stop the others. */
export const backupCommand = defineCommand("backup", {
  prepare: (args) => {
    const { stack, all, plainText, recipient } = args;
    if (all && stack.length > 0) throw new StackferryError("usage", "give either stack names or --all, not both");
    if (!all && stack.length === 0) throw new StackferryError("usage", "give the names of stacks, or --all");
    const shard = args.shard === undefined ? undefined : shardOfText(args.shard);
    if (shard !== undefined && !all) throw new StackferryError("usage", "--shard needs --all");
    if (plainText && recipient.length > 0) {
      throw new StackferryError("usage", "--plain-text and --recipient exclude each other");
    }
    const policy = parseRetentionFlags(args);
    const parallel = numberFlag(args.parallel, "--parallel", { least: 1, most: 64 }) ?? DEFAULT_PARALLEL;
    return { ...args, shard, parallel, policy };
  },
  run: async (request, session) => {
    const settings = await repositorySettingsFor(request.to, session);
    const protection = await chooseProtection(protectionOf(request, settings), session, settings.keyFiles);
    const policy = retentionPolicyFor(request.policy, settings);
    await using repository = await openRepositoryFor(request.to, session);
    await refuseBackupIntoStack(request.to, repository);
    const names = request.stack.length > 0 ? request.stack : await stacksOfShard(request.shard, session);
    const { signal } = session;
    const events = withoutDeadLinks(session);
    const dependencies = await createBackupDependencies(repository, session);
    const { ifChanged, acceptSuspect, plainText } = request;
    const options = { ifChanged, acceptSuspect, plainText, policy };
    const { inputs, unresolved } = await inputsOf(names, options, protection, session);
    const failed = await Promise.all(
      unresolved.map(({ stack, error }) => failedBackupResult(stack, error, dependencies, { events, signal })),
    );
    const ends = [...failed, ...(await backupAll(inputs, dependencies, request.parallel, { events, signal }))];
    logPruning(ends, session);
    if (session.globals.quiet) emitDisappeared(ends, session);
    return resultOfBackups(ends, repository.address, protection);
  },
});

/**
 * Returns the run's event sink. Under --quiet it hides warnings about the stack's dangling references, because cron would mail them
 * after every run. The archive, its HTML page and --json still list them.
 */
function withoutDeadLinks({ events, globals, runState }: Session): Session["events"] {
  if (!globals.quiet) return events;
  return (event) => {
    if (event.type === "warning" && event.warning.code === "dead-reference") runState.warnings.push(event.warning);
    else events(event);
  };
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

function readersOf(encryption: ArchiveEncryption): Readers {
  const digest = readersDigest(encryption);
  if (!("passphrase" in encryption)) return { digest };
  return { digest, opens: (start) => opensWithPassphrase(encryption.passphrase, start) };
}

/** Flags take precedence over the repository's settings. */
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

/** Resolves each stack. A stack that cannot be resolved, for instance because its secret is missing, does not stop the others. */
async function inputsOf(
  names: readonly string[],
  options: Pick<BackupInput, "ifChanged" | "acceptSuspect" | "policy" | "plainText">,
  protection: ArchiveProtection,
  session: Session,
) {
  const inputs = new Map<string, BackupInput>();
  const unresolved: { readonly stack: string; readonly error: StackferryError }[] = [];
  const readers = protection.encryption && readersOf(protection.encryption);
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
      inputs.set(stack, { stack, exportTo, readers, signedBy, findChanges, ...options });
      if (names.length === 1) session.runState.from = toReportedStack(settings);
    } catch (error) {
      if (!(error instanceof StackferryError)) throw error;
      unresolved.push({ stack: name, error });
    }
  }
  return { inputs: [...inputs.values()], unresolved };
}

/** With `--quiet`, the records that have disappeared are a line on stderr, which cron sends as mail. */
function emitDisappeared(ends: readonly BackupEnd[], { events }: Session): void {
  for (const end of ends) {
    if (end.result === "failed" || end.suspect.length > 0) continue;
    const message = disappearedText(end);
    if (message !== "") events({ type: "warning", warning: { code: "records-gone", message } });
  }
}

/** With `--verbose`, logs why each archive is kept. */
function logPruning(ends: readonly BackupEnd[], session: Session): void {
  const verdicts = ends.flatMap((end) => (end.result === "failed" ? [] : end.pruned));
  if (session.globals.verbose && verdicts.length > 0)
    session.note(pruneResultText(verdicts, false, session.messageDisplay));
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
