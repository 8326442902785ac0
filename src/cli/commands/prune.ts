import { ofStack, repositoryArgument } from "../flags/arguments.ts";
import { retentionFlags, retentionPolicy } from "../flags/retention.ts";
import { defineCommand } from "../program/parse/define-command.ts";

export const pruneCommand = defineCommand("prune", {
  positionals: {
    repository: repositoryArgument,
  },
  flags: {
    ...retentionFlags,
    stack: ofStack,
    "dry-run": { type: "boolean", describe: "Show what would be removed, and why the others stay" },
    yes: { type: "boolean", describe: "Do not ask before removing; required without a terminal" },
  },
  examples: [
    ["prune /var/backups/stacks --keep-daily 7 --keep-monthly 12 --dry-run", "what would go, and why the rest stays"],
    ["prune s3://backups/stacks --keep-within 30d --yes", "remove what is more than 30 days older than the newest"],
  ],
  exitCodes: [0, 1, 2, 3, 5, 6, 7, 130],
  prepare: (args) => {
    const policy = retentionPolicy(args);
    const request = {
      repository: args.repository,
      stacks: args.stack ?? [],
      policy,
      dryRun: args["dry-run"] ?? false,
      yes: args.yes ?? false,
    };
    return async (session) => (await import("../runs/prune.ts")).runPrune(request, session);
  },
});
