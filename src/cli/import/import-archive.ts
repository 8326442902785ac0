import type { CommandResult } from "../output/document.ts";
import type { Session } from "../program/session.ts";
import { refuseUnconfirmed } from "../prompts/confirm.ts";
import { openArchiveFile, loadSignerOfFlag } from "../wiring/archive-file.ts";
import { createFindCommand } from "../wiring/named-input.ts";
import { lockStack, openClient, toReportedStack, resolveStack } from "../wiring/stack.ts";
import type { ImportRequest } from "./flags.ts";
import { importWithQuestions } from "./import-with-questions.ts";

/** Imports an archive onto a stack, for `import`, and for `apply` of an archive. */
export async function importArchive(
  request: ImportRequest & { readonly archive: string; readonly to: string; readonly signer: string | undefined },
  session: Session,
): Promise<CommandResult> {
  refuseUnconfirmed(request, session);
  const settings = await resolveStack(request.to, "to", session);
  session.runState.to = toReportedStack(settings);
  const signer = await loadSignerOfFlag(request.signer, session);
  await using reader = await openArchiveFile(request.archive, session, signer);
  session.runState.from = { label: request.archive, ...reader.manifest.source };
  await using _lock = await lockStack(settings, request, session);
  await using client = openClient(settings, session);
  const { storedName, isSuspect } = reader;
  const ofBackup = storedName !== undefined && { findCommand: createFindCommand(request.archive) };
  const target = { settings, client, isSuspect, ...ofBackup };
  return await importWithQuestions(reader, target, request, session);
}
