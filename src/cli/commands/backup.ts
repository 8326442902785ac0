import { readersDigest } from "../../archive/age.ts";
import type { BackupInput, Exporter } from "../../backup/backup.ts";
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
import { resultOfBackups } from "../output/backup.ts";
import { keyFingerprint } from "../../archive/signature.ts";
import { createFindChanges } from "../../history/changes-since.ts";
import { digestAddress, summariseContent } from "../../backup/suspect.ts";
import type { StackSettings } from "../../config/stacks/stack-settings.ts";
import { defineCommand } from "../program/commands.ts";
import { chooseProtection, type ProtectionOptions } from "../inputs/keys.ts";
import { createRunRedactor } from "../inputs/config.ts";
import { createBackupDependencies, openRepositoryFor, repositorySettingsFor } from "../inputs/repository.ts";
import { configuredStackNames, openClient, resolveStack, toReportedStack } from "../inputs/stack.ts";
import { refuseStackFolder } from "../inputs/argument.ts";
import { disappearedText } from "../../report/view/backup-changes.ts";

/** Default number of stacks to back up at a time. Each stack has its own client and its own limits. */
const DEFAULT_PARALLEL = 4;

/** Backs up stacks into a repository and prunes their older backups there. A stack that fails does not stop the others. */
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
    const { stack: stacks, all, plainText, recipient } = args;
    if (all && stacks.length > 0) throw new StackferryError("usage", "give either stack names or --all, not both");
    if (!all && stacks.length === 0) throw new StackferryError("usage", "give the names of stacks, or --all");
    const shard = args.shard === undefined ? undefined : shardOfText(args.shard);
    if (shard !== undefined && !all) throw new StackferryError("usage", "--shard needs --all");
    if (plainText && recipient.length > 0) {
      throw new StackferryError("usage", "--plain-text and --recipient exclude each other");
    }
    const parallel = numberFlag(args.parallel, "--parallel", { least: 1, most: 64 }) ?? DEFAULT_PARALLEL;
    const settings = await repositorySettingsFor(args.to, session);
    const policy = retentionPolicyOf(args, settings);
    const protection = await chooseProtection(protectionOf(args, settings), session, settings.keyFiles);
    await using repository = await openRepositoryFor(args.to, session);
    await refuseStackFolder(args.to, repository, session.signal);
    const names = all ? await stacksOfShard(shard, session) : stacks;
    const { signal } = session;
    const events = withoutDeadLinks(session);
    const dependencies = await createBackupDependencies(repository, session);
    const options = { ifChanged: args.ifChanged, plainText, policy };
    const { inputs, unresolved } = await inputsOf(names, options, protection, session);
    const failed = await Promise.all(
      unresolved.map(({ stack, error }) => failedBackupResult(stack, error, dependencies, { events, signal })),
    );
    const ends = [...failed, ...(await backupAll(inputs, dependencies, parallel, { events, signal }))];
    if (session.globals.quiet) await emitDisappeared(ends, session);
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

/** With `--quiet`, the records that have disappeared are a line on stderr, which cron sends as mail. */
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

/** The returned function fails if anything cannot be read, because a backup must be whole. */
export function createExporter(settings: StackSettings, protection: ArchiveProtection, session: Session): Exporter {
  return async ({ path, stack, createdAt }, { events }) => {
    // If several stacks are backed up, these events name their stack.
    const stackSession = { ...session, events };
    await using client = openClient(settings, stackSession);
    const redact = await createRunRedactor(session);
    const job = { ...WHOLE_STACK_EXPORT, ...protection, path, stack, client, settings, redact, now: createdAt };
    const { archive, recordsDigest, kinds, incomplete } = await exportToArchive(job, stackSession);
    const { contentDigest } = archive;
    const address = digestAddress(client.identity);
    return { contentDigest, recordsDigest, kinds: summariseContent(kinds), incomplete, address };
  };
}
