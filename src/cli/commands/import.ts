import { archiveArgument, signer, stackToWrite } from "../flags/arguments.ts";
import { importFlags, importRequest, tileFlag } from "../flags/import.ts";
import { defineCommand } from "../program/parse/define-command.ts";

export const importCommand = defineCommand("import", {
  positionals: {
    archive: archiveArgument,
  },
  flags: {
    to: stackToWrite,
    signer: { ...signer, advanced: true },
    ...importFlags,
    tile: tileFlag,
  },
  examples: [
    ["import backup.zip --to staging --dry-run", "show what would be done"],
    ["import backup.zip --to staging --dry-run --draft-map map.yaml", "draft a map file of the unmatched records"],
    ["import backup.zip --to staging --map map.yaml --yes", "do it, without asking"],
    [
      "import backup.zip --to staging --state staging.json --mirror",
      "also delete records that the backup no longer has",
    ],
    ["import backup.zip --to staging --on-conflict merge --dry-run", "keep what was changed on staging, tile by tile"],
    ["import offsite/production@2026-11-20 --to staging --dry-run", "import a backup, named as for `restore`"],
  ],
  exitCodes: [0, 1, 2, 3, 4, 5, 6, 7, 10, 130],
  prepare: (args) => {
    const request = {
      ...importRequest(args),
      tile: args.tile,
      archive: args.archive,
      to: args.to,
      signer: args.signer,
    };
    return async (session) => (await import("../runs/import.ts")).runImport(request, session);
  },
});
