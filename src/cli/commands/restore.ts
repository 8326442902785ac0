import { stackToWrite } from "../flags/arguments.ts";
import type { ImportRequest } from "../flags/import.ts";
import { importFlags, importRequest } from "../flags/import.ts";
import { importArchive } from "../import/import-archive.ts";
import type { CommandResult } from "../output/document.ts";
import { defineCommand } from "../program/parse/define-command.ts";
import type { Session } from "../program/session.ts";
import { openBackup, restoreJournal, signerOf } from "../wiring/archive-file.ts";
import type { BackupReference } from "../wiring/backup-reference.ts";
import { parseBackupReference } from "../wiring/backup-reference.ts";
import { suspicionOf } from "./import.ts";
import { openClient, reported, resolveFor } from "../wiring/stack.ts";

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
      type: "string",
      requiresArg: true,
      describe: "Refuse the backup unless it was signed with the key whose public half (PEM) is in this file",
    },
    ...importFlags,
  },
  examples: [
    [
      "restore /var/backups/stacks/production --to production --dry-run",
      "show what the newest good backup would bring back",
    ],
    ["restore s3://backups/stacks/production@2026-11-20 --to staging", "as it was at the end of that day"],
    [
      "restore /var/backups/stacks/production --to staging --state staging.json --mirror",
      "and delete what came from an earlier backup and is not in this one",
    ],
    [
      "restore offsite/production@20261120T041500Z --to production --yes",
      "the backup of that time, or the last one before it",
    ],
  ],
  exitCodes: [0, 1, 2, 3, 4, 5, 6, 7, 10, 130],
  prepare: (args) => {
    const request = { ...importRequest(args), ...parseBackupReference(args.backup), to: args.to, signer: args.signer };
    return (session) => runRestore(request, session);
  },
});

/** `stackferry restore`, normalised. */
export interface RestoreRequest extends ImportRequest, BackupReference {
  readonly to: string;
  /** File of an Ed25519 public key. */
  readonly signer: string | undefined;
}

/** Fetches a backup and imports it. */
export async function runRestore(request: RestoreRequest, session: Session): Promise<CommandResult> {
  const settings = await resolveFor(request.to, "to", session);
  session.runState.to = reported(settings);
  await using reader = await openBackup(request, session, { signer: await signerOf(request.signer, session) });
  session.runState.archive = reader.summary;
  session.runState.from = { label: reader.summary.path, ...reader.manifest.source };
  await using client = openClient(settings, session);
  return await importArchive(
    reader,
    { settings, client, journalBase: restoreJournal(reader.stored, session), ...suspicionOf(reader) },
    request,
    session,
  );
}
