import { defineCommand } from "../define-command.ts";
import { importFlags, importRequest } from "./import-flags.ts";

export const migrateCommand = defineCommand("migrate", {
  positionals: {},
  flags: {
    from: {
      type: "string",
      demandOption: true,
      requiresArg: true,
      describe: "STACK to read: a configured name or an address",
    },
    to: {
      type: "string",
      demandOption: true,
      requiresArg: true,
      describe: "STACK to write: a configured name or an address",
    },
    "keep-archive": { type: "string", requiresArg: true, describe: "Keep the archive in between at this path" },
    ...importFlags,
  },
  examples: [
    ["migrate --from production --to staging --dry-run", "what would be done"],
    ["migrate --from production --to staging --keep-archive moved.zip", "do it, and keep what was moved"],
  ],
  exitCodes: [0, 1, 2, 3, 4, 5, 6, 7, 10, 130],
  prepare: (args) => {
    const request = importRequest(args);
    return async (session) => {
      const { runMigrate } = await import("../runs/run-migrate.ts");
      return runMigrate({ ...request, from: args.from, to: args.to, keepArchive: args["keep-archive"] }, session);
    };
  },
});
