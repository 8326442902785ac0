import { isS3Address } from "../../storage/open-repository.ts";
import { archiveArgument, stackToWrite } from "../flags/arguments.ts";
import type { ImportRequest } from "../flags/import.ts";
import { importFlags, importRequest } from "../flags/import.ts";
import { importArchive } from "../import/import-archive.ts";
import type { CommandResult } from "../output/document.ts";
import { defineCommand } from "../program/parse/define-command.ts";
import type { Session } from "../program/session.ts";
import type { OpenedArchive } from "../wiring/archive-file.ts";
import { openArchiveFile, restoreJournal, signerOf } from "../wiring/archive-file.ts";
import { splitRepository } from "../wiring/repository.ts";
import { openClient, reported, resolveFor } from "../wiring/stack.ts";

export const importCommand = defineCommand("import", {
  positionals: {
    archive: archiveArgument,
  },
  flags: {
    to: stackToWrite,
    signer: {
      type: "string",
      requiresArg: true,
      describe: "Refuse the archive unless it was signed with the key whose public half (PEM) is in this file",
    },
    ...importFlags,
  },
  examples: [
    ["import backup.zip --to staging --dry-run", "what would be done"],
    ["import backup.zip --to staging --dry-run --write-map map.yaml", "draft a map of what cannot be matched"],
    ["import backup.zip --to staging --map map.yaml --yes", "do it, without asking"],
    ["import backup.zip --to staging --state staging.json --mirror", "and delete what the backup no longer has of it"],
    ["import offsite/production@2026-11-20 --to staging --dry-run", "a backup, as `restore` takes it"],
  ],
  exitCodes: [0, 1, 2, 3, 4, 5, 6, 7, 10, 130],
  prepare: (args) => {
    const request = importRequest(args);
    return (session) => runImport({ ...request, archive: args.archive, to: args.to, signer: args.signer }, session);
  },
});

/** Imports an archive onto a stack. */
export async function runImport(
  request: ImportRequest & { readonly archive: string; readonly to: string; readonly signer: string | undefined },
  session: Session,
): Promise<CommandResult> {
  const settings = await resolveFor(request.to, "to", session);
  session.runState.to = reported(settings);
  const signer = await signerOf(request.signer, session);
  await using reader = await openArchiveFile(request.archive, session, { signer });
  session.runState.from = { label: request.archive, ...reader.manifest.source };
  await using client = openClient(settings, session);
  return await importArchive(
    reader,
    { settings, client, journalBase: journalBaseOf(request.archive, reader, session), ...suspicionOf(reader) },
    request,
    session,
  );
}

/** What is not in a suspect backup may be on its stack all the same. */
export function suspicionOf({ isSuspect }: OpenedArchive): { readonly isSuspect?: true } {
  return isSuspect === true ? { isSuspect } : {};
}

/** The journal of an archive that is not on this machine is kept where the command is run. */
function journalBaseOf(archive: string, { stored }: OpenedArchive, session: Session): string {
  if (stored !== undefined) return restoreJournal(stored, session);
  return isS3Address(archive) ? `stackferry-import-${splitRepository(archive).name}` : archive;
}
