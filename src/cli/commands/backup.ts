import { StackferryError } from "../../domain/errors.ts";
import { isEmptyPolicy } from "../../domain/retention.ts";
import { defineCommand } from "../define-command.ts";
import { numberFlag } from "./number-flag.ts";
import { retentionFlags, retentionPolicy } from "./retention-flags.ts";

/** Each has a client of its own, and a place can be slow: a handful keeps both busy. */
const DEFAULT_PARALLEL = 4;

export const backupCommand = defineCommand("backup", {
  positionals: { stack: { type: "string", array: true, describe: "STACK: a configured name or an address" } },
  flags: {
    all: { type: "boolean", describe: "Every stack of the configuration" },
    to: {
      type: "string",
      demandOption: true,
      requiresArg: true,
      describe: "PLACE: a folder, s3://…, a configured name",
    },
    "if-changed": { type: "boolean", describe: "Store nothing where the newest good backup holds the same" },
    shard: {
      type: "string",
      requiresArg: true,
      describe: "With --all: only share I of N, counted from 0: 0/10 … 9/10",
    },
    parallel: { type: "string", requiresArg: true, describe: `Stacks at a time (default: ${DEFAULT_PARALLEL})` },
    ...retentionFlags,
    recipient: {
      type: "string",
      array: true,
      requiresArg: true,
      describe: "Encrypt for this age public key (age1…), repeatable",
    },
    sign: { type: "string", requiresArg: true, describe: "Sign with the Ed25519 private key (PEM) in this file" },
  },
  examples: [
    ["backup production --to /var/backups/stacks", "one more backup, under /var/backups/stacks/production"],
    ["backup --all --to s3://backups/stacks --if-changed --keep-daily 7 --keep-weekly 8", "for a scheduler"],
    ["backup --all --shard 3/10 --to offsite", "this job's share of a fleet"],
  ],
  exitCodes: [0, 1, 2, 3, 4, 5, 6, 7, 130],
  prepare: (args) => {
    const stacks = args.stack ?? [];
    const all = args.all ?? false;
    if (all === stacks.length > 0) throw new StackferryError("usage", "name stacks, or give --all");
    const shard = args.shard === undefined ? undefined : shardOfText(args.shard);
    if (shard !== undefined && !all) throw new StackferryError("usage", "--shard only means something with --all");
    const policy = retentionPolicy(args);
    const request = {
      stacks,
      shard,
      to: args.to,
      ifChanged: args["if-changed"] ?? false,
      parallel: numberFlag(args.parallel, "--parallel", { least: 1, most: 64 }) ?? DEFAULT_PARALLEL,
      policy: isEmptyPolicy(policy) ? undefined : policy,
      recipients: args.recipient ?? [],
      signingKey: args.sign,
    };
    return async (session) => {
      const { runBackup } = await import("../runs/run-backup.ts");
      return runBackup(request, session);
    };
  },
});

function shardOfText(text: string): { readonly index: number; readonly count: number } {
  const [index, count] = text.split("/").map((part) => (/^\d{1,6}$/.test(part) ? Number(part) : Number.NaN));
  if (index !== undefined && count !== undefined && index < count && text.split("/").length === 2) {
    return { index, count };
  }
  throw new StackferryError("usage", "--shard wants I/N, I counted from 0 and below N", {
    hint: "an indexed job of Kubernetes gives $JOB_COMPLETION_INDEX/10",
  });
}
