import { stackToRead, stackToWrite } from "../flags/arguments.ts";
import { importFlags, importRequest } from "../flags/import.ts";
import { defineCommand } from "../program/parse/define-command.ts";

export const migrateCommand = defineCommand("migrate", {
  positionals: {},
  flags: {
    from: stackToRead,
    to: stackToWrite,
    "keep-archive": { type: "string", requiresArg: true, describe: "Keep the archive in between at this path" },
    ...importFlags,
  },
  examples: [
    ["migrate --from production --to staging --dry-run", "what would be done"],
    ["migrate --from production --to staging --keep-archive moved.zip", "do it, and keep what was moved"],
    [
      "migrate --from production --to staging --state staging.json --on-conflict update",
      "keep in a state which record became which: a rename is an update",
    ],
    [
      "migrate --from production --to staging --state staging.json --on-conflict update --mirror",
      "and delete what production no longer has",
    ],
  ],
  exitCodes: [0, 1, 2, 3, 4, 5, 6, 7, 10, 130],
  prepare: (args) => {
    const request = { ...importRequest(args), from: args.from, to: args.to, keepArchive: args["keep-archive"] };
    return async (session) => (await import("../runs/migrate.ts")).runMigrate(request, session);
  },
});
