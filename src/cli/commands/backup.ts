import { isEmptyPolicy } from "../../backup/retention.ts";
import { StackferryError } from "../../core/errors.ts";
import { recipientFlag, repositoryArgument, signFlag, stackArguments } from "../flags/arguments.ts";
import { numberFlag, retentionFlags, retentionPolicy } from "../flags/retention.ts";
import { defineCommand } from "../program/parse/define-command.ts";

/** Default number of stacks to back up at a time. Each stack has its own client and its own limits. */
const DEFAULT_PARALLEL = 4;

export const backupCommand = defineCommand("backup", {
  positionals: { stack: stackArguments },
  flags: {
    all: { type: "boolean", describe: "Back up every stack of the configuration" },
    to: { ...repositoryArgument, requiresArg: true },
    "accept-suspect": {
      advanced: true,
      type: "boolean",
      describe: "Accept this backup as good, although it holds much less than the last one",
    },
    "if-changed": { type: "boolean", describe: "Store nothing if the newest good backup has the same content" },
    shard: {
      advanced: true,
      type: "string",
      requiresArg: true,
      describe: "With --all: back up one of N groups of stacks: 0/10, 1/10, … 9/10",
    },
    parallel: {
      advanced: true,
      type: "string",
      requiresArg: true,
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
    [
      "backup production --to offsite --accept-suspect",
      "accept a small backup, because most records were deleted on purpose",
    ],
    ["backup --all --shard 3/10 --to offsite", "back up one of ten groups of stacks"],
  ],
  exitCodes: [0, 1, 2, 3, 4, 5, 6, 7, 130],
  prepare: (args) => {
    const stacks = args.stack ?? [];
    const isWholeFleet = args.all ?? false;
    if (isWholeFleet && stacks.length > 0)
      throw new StackferryError("usage", "give either stack names or --all, not both");
    if (!isWholeFleet && stacks.length === 0) throw new StackferryError("usage", "give the names of stacks, or --all");
    const shard = args.shard === undefined ? undefined : shardOfText(args.shard);
    if (shard !== undefined && !isWholeFleet) throw new StackferryError("usage", "--shard needs --all");
    const plainText = args["plain-text"] ?? false;
    if (plainText && (args.recipient ?? []).length > 0) {
      throw new StackferryError("usage", "--plain-text and --recipient exclude each other");
    }
    const policy = retentionPolicy(args);
    const request = {
      stacks,
      shard,
      to: args.to,
      ifChanged: args["if-changed"] ?? false,
      acceptSuspect: args["accept-suspect"] ?? false,
      parallel: numberFlag(args.parallel, "--parallel", { least: 1, most: 64 }) ?? DEFAULT_PARALLEL,
      policy: isEmptyPolicy(policy) ? undefined : policy,
      recipients: args.recipient ?? [],
      signingKey: args.sign,
      plainText,
    };
    return async (session) => (await import("../runs/backup.ts")).runBackup(request, session);
  },
});

function shardOfText(text: string): { readonly index: number; readonly count: number } {
  const [index, count] = text.split("/").map((part) => (/^\d{1,6}$/.test(part) ? Number(part) : Number.NaN));
  if (index !== undefined && count !== undefined && index < count && text.split("/").length === 2) {
    return { index, count };
  }
  throw new StackferryError("usage", "--shard must be I/N, with I from 0 to N-1", {
    hint: "in an indexed Kubernetes job, use $JOB_COMPLETION_INDEX/10",
  });
}
