import { StackferryError } from "../../domain/errors.ts";
import { isEmptyPolicy } from "../../domain/retention.ts";
import { defineCommand } from "../define-command.ts";
import { retentionFlags, retentionPolicy } from "./retention-flags.ts";

export const pruneCommand = defineCommand("prune", {
  positionals: {
    place: { type: "string", demandOption: true, describe: "PLACE: a folder, s3://…, a configured name" },
  },
  flags: {
    ...retentionFlags,
    stack: { type: "string", array: true, requiresArg: true, describe: "Only of this stack, repeatable" },
    "dry-run": { type: "boolean", describe: "Show what would go and why the others stay" },
    yes: { type: "boolean", describe: "Do not ask before removing" },
  },
  examples: [
    ["prune /var/backups/stacks --keep-daily 7 --keep-monthly 12 --dry-run", "what would go, and why the rest stays"],
    ["prune s3://backups/stacks --keep-within 30d --yes", "remove what is more than 30 days older than the newest"],
  ],
  exitCodes: [0, 1, 2, 3, 5, 6, 7, 130],
  prepare: (args) => {
    const policy = retentionPolicy(args);
    if (isEmptyPolicy(policy)) {
      throw new StackferryError("usage", "nothing says what to keep", { hint: "give at least one --keep-… flag" });
    }
    const request = {
      place: args.place,
      stacks: args.stack ?? [],
      policy,
      dryRun: args["dry-run"] ?? false,
      yes: args.yes ?? false,
    };
    return async (session) => {
      const { runPrune } = await import("../runs/run-prune.ts");
      return runPrune(request, session);
    };
  },
});
