import { refuseUnconfirmed } from "../program/session.ts";
import { importFlags, parseImportFlags, tileFlag } from "../import/flags.ts";
import { signerFlag, stackToWriteArgument } from "../program/flags.ts";
import { defineCommand } from "../program/commands.ts";
import { loadSignerOfFlag, openBackup } from "../inputs/archive.ts";
import { lockStack, openClient, resolveStack, toReportedStack } from "../inputs/stack.ts";
import { createFindCommand, parseBackupReference } from "../inputs/argument.ts";
import { importWithQuestions } from "../import/run-import.ts";

export const restoreCommand = defineCommand({
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
    const request = { backup, to, signer, ...parseImportFlags(flags, { tile }) };
    const reference = parseBackupReference(backup, session.startedAt);
    refuseUnconfirmed(request, session);
    const settings = await resolveStack(to, "to", session);
    session.runState.to = toReportedStack(settings);
    await using reader = await openBackup(reference, session, await loadSignerOfFlag(signer, session));
    session.runState.archive = reader.summary;
    session.runState.from = { label: reader.summary.path, ...reader.manifest.source };
    await using _lock = await lockStack(settings, request, session);
    await using client = openClient(settings, session);
    const findCommand = createFindCommand(backup);
    const target = { settings, client, findCommand, restores: true, isSuspect: reader.isSuspect };
    return await importWithQuestions(reader, target, request, session);
  },
});
