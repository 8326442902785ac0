import { importFlags, parseImportFlags, tileFlag } from "../import/flags.ts";
import { signerFlag, stackToWriteArgument } from "../program/flags.ts";
import { defineCommand } from "../program/define-command.ts";
import { parseBackupReference } from "../inputs/argument.ts";
import { importArchive } from "../import/run-import.ts";

export const command = defineCommand({
  positionals: {
    backup: {
      demandOption: true,
      describe: "REPO/STACK, REPO/STACK@latest or REPO/STACK@TIME (UTC)",
    },
  },
  flags: {
    to: stackToWriteArgument,
    signer: {
      ...signerFlag,
      advanced: true,
      describe: "Refuse the backup unless this public key (PEM file) verifies its signature",
    },
    ...importFlags,
    tile: tileFlag,
  },
  examples: [
    [
      "restore /var/backups/stacks/production --to production --dry-run",
      "show what the newest good backup would bring back",
    ],
    ["restore s3://backups/stacks/production@2026-11-20 --to staging", "as it was at the end of that day"],
    [
      "restore /var/backups/stacks/production --to staging --mirror",
      "also delete records of earlier restores that this backup lacks",
    ],
    [
      'restore /var/backups/stacks/production@2026-11-20 --to production --include "Checkout" --tile "Errors" --dry-run',
      "one tile as it was on that day",
    ],
    [
      "restore offsite/production@20261120T041500Z --to production --yes",
      "the backup of that time, or the last one before it",
    ],
  ],
  exitCodes: [0, 1, 2, 3, 4, 5, 6, 7, 10, 130],
  run: async ({ backup, to, signer, tile, ...flags }, session) => {
    const request = { archive: backup, to, signer, ...parseImportFlags(flags, { tile }) };
    const reference = parseBackupReference(backup, session.startedAt);
    return importArchive(request, session, { is: "backup", reference });
  },
});
