import { importFlags, parseImportFlags, tileFlag } from "../import/flags.ts";
import { defineCommand } from "../program/command.ts";
import { archiveArgument, signerFlag, stackToWriteArgument } from "../program/shared-flags.ts";

export const importCommand = defineCommand({
  name: "import",
  group: "Move",
  describe: "Import an archive onto a live stack",
  positionals: { archive: archiveArgument },
  flags: {
    to: stackToWriteArgument,
    signer: { ...signerFlag, advanced: true },
    ...importFlags,
    tile: tileFlag,
  },
  examples: [
    ["import backup.zip --to staging --dry-run", "show what would be done"],
    ["import backup.zip --to staging --dry-run --draft-map map.yaml", "draft a map file of the unmatched records"],
    ["import backup.zip --to staging --map map.yaml --yes", "do it, without asking"],
    ["import backup.zip --to staging --mirror", "also delete records that the backup no longer has"],
    ["import backup.zip --to staging --on-conflict merge --dry-run", "keep what was changed on staging, tile by tile"],
    ["import offsite/production@2026-11-20 --to staging --dry-run", "import a backup, named as for `restore`"],
  ],
  exitCodes: [0, 1, 2, 3, 4, 5, 6, 7, 10, 130],
  handler: ({ archive, to, signer, tile, ...flags }) => {
    const request = { archive, to, signer, ...parseImportFlags(flags, { tile }) };
    return async (session) => (await import("../import/import-archive.ts")).importArchive(request, session);
  },
});
