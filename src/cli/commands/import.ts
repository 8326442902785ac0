import { importFlags, parseImportFlags, tileFlag } from "../import/flags.ts";
import { archiveArgument, signerFlag, stackToWriteArgument } from "../program/flags.ts";
import { defineCommand } from "../program/define-command.ts";
import { importArchive } from "../import/run-import.ts";

export const command = defineCommand({
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
  run: async ({ archive, to, signer, tile, ...flags }, session) => {
    const request = { archive, to, signer, ...parseImportFlags(flags, { tile }) };
    return importArchive(request, session);
  },
});
