import { defineCommand } from "../program/parse/define-command.ts";
import { importRequest } from "../flags/import.ts";
import { importWithQuestions } from "../import/import-with-questions.ts";
import { refuseUnasked } from "../prompts/confirm.ts";
import { openBackup, restoreJournal, signerOf } from "../wiring/archive-file.ts";
import { finishCommandFor, parseBackupReference } from "../wiring/backup-reference.ts";
import { suspicionOf } from "./import.ts";
import { openClient, toReportedStack, resolveStack } from "../wiring/stack.ts";

/** Fetches a backup and imports it. */
export const restoreCommand = defineCommand("restore", {
  prepare: ({ backup, to, signer, tile, ...flags }) => ({ backup, to, signer, ...importRequest(flags, { tile }) }),
  run: async (request, session) => {
    refuseUnasked(request, session);
    const backup = parseBackupReference(request.backup, session.startedAt);
    const settings = await resolveStack(request.to, "to", session);
    session.runState.to = toReportedStack(settings);
    await using reader = await openBackup(backup, session, { signer: await signerOf(request.signer, session) });
    session.runState.archive = reader.summary;
    session.runState.from = { label: reader.summary.path, ...reader.manifest.source };
    await using client = openClient(settings, session);
    const journalBase = restoreJournal(reader.stored, session);
    const finishCommand = finishCommandFor("restore", request.backup, request.to);
    const target = { settings, client, journalBase, finishCommand, restores: true, ...suspicionOf(reader) } as const;
    return await importWithQuestions(reader, target, request, session);
  },
});
