import { signer, stackToWrite } from "../flags/arguments.ts";
import { importFlags, importRequest, tileFlag } from "../flags/import.ts";
import { defineCommand } from "../program/parse/define-command.ts";

export const restoreCommand = defineCommand("restore", {
  positionals: {
    backup: {
      type: "string",
      demandOption: true,
      completes: "backups",
      describe: "REPO/STACK, REPO/STACK@latest or REPO/STACK@TIME (UTC)",
    },
  },
  flags: {
    to: stackToWrite,
    signer: {
      ...signer,
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
      "restore /var/backups/stacks/production --to staging --state staging.json --mirror",
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
  prepare: (args) => {
    const request = { ...importRequest(args), tile: args.tile, backup: args.backup, to: args.to, signer: args.signer };
    return async (session) => (await import("../runs/restore.ts")).runRestore(request, session);
  },
});
