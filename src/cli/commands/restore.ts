import { defineCommand } from "../program/parse/define-command.ts";
import { parseImportFlags } from "../flags/import.ts";
import { importWithQuestions } from "../import/import-with-questions.ts";
import { refuseUnconfirmed } from "../prompts/confirm.ts";
import { openBackup, loadSignerOfFlag } from "../wiring/archive-file.ts";
import { createFindCommand, parseBackupReference } from "../wiring/named-input.ts";
import { lockStack, openClient, toReportedStack, resolveStack } from "../wiring/stack.ts";

export const restoreCommand = defineCommand("restore", {
  prepare: ({ backup, to, signer, tile, ...flags }) => ({ backup, to, signer, ...parseImportFlags(flags, { tile }) }),
  run: async (request, session) => {
    refuseUnconfirmed(request, session);
    const backup = parseBackupReference(request.backup, session.startedAt);
    const settings = await resolveStack(request.to, "to", session);
    session.runState.to = toReportedStack(settings);
    await using reader = await openBackup(backup, session, await loadSignerOfFlag(request.signer, session));
    session.runState.archive = reader.summary;
    session.runState.from = { label: reader.summary.path, ...reader.manifest.source };
    await using _lock = await lockStack(settings, request, session);
    await using client = openClient(settings, session);
    const findCommand = createFindCommand(request.backup);
    const target = { settings, client, findCommand, restores: true, isSuspect: reader.isSuspect };
    return await importWithQuestions(reader, target, request, session);
  },
});
