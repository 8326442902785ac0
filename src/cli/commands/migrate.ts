import { stackToRead, stackToWrite } from "../flags/arguments.ts";
import { importFlags, importRequest } from "../flags/import.ts";
import { defineCommand } from "../program/parse/define-command.ts";

export const migrateCommand = defineCommand("migrate", {
  positionals: {},
  flags: {
    from: stackToRead,
    to: stackToWrite,
    "keep-archive": { type: "string", requiresArg: true, describe: "Keep the temporary archive at this path" },
    ...importFlags,
  },
  examples: [
    ["migrate --from production --to staging --dry-run", "show what would be done"],
    ["migrate --from production --to staging --keep-archive moved.zip", "migrate, and keep the archive"],
    [
      "migrate --from production --to staging --state staging.json --on-conflict update",
      "keep a state file, so that a renamed record is updated",
    ],
    [
      "migrate --from production --to staging --state staging.json --on-conflict update --mirror",
      "also delete records that production no longer has",
    ],
  ],
  exitCodes: [0, 1, 2, 3, 4, 5, 6, 7, 10, 130],
  prepare: (args) => {
    const request = { ...importRequest(args), from: args.from, to: args.to, keepArchive: args["keep-archive"] };
    return async (session) => (await import("../runs/migrate.ts")).runMigrate(request, session);
  },
});
