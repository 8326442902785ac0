import { StackferryError } from "../../domain/errors.ts";
import { defineCommand } from "../define-command.ts";

export const rollbackCommand = defineCommand("rollback", {
  positionals: { journal: { type: "string", demandOption: true, describe: "Journal of the import" } },
  flags: {
    to: {
      type: "string",
      demandOption: true,
      requiresArg: true,
      describe: "STACK the import wrote: a configured name or an address",
    },
    "dry-run": { type: "boolean", describe: "Show the plan and write nothing" },
    force: { type: "boolean", describe: "Undo also what was changed since, or is used by something else" },
    yes: { type: "boolean", describe: "Do not ask before writing" },
  },
  examples: [
    ["rollback backup.zip.1a2b3c4d.journal --to staging --dry-run", "what would be undone"],
    ["rollback backup.zip.1a2b3c4d.journal --to staging --yes", "undo it, without asking"],
  ],
  exitCodes: [0, 1, 2, 3, 5, 6, 7, 130],
  prepare: (args) => {
    const { journal, to, force = false, yes = false } = args;
    const dryRun = args["dry-run"] ?? false;
    if (journal === "") throw new StackferryError("usage", "the journal's name is empty");
    return async (session) => {
      const { runRollback } = await import("../runs/run-rollback.ts");
      return runRollback({ journal, to, force, yes, dryRun }, session);
    };
  },
});
