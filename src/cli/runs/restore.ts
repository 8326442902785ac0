import type { ImportRequest } from "../flags/import.ts";
import { importWithQuestions } from "../import/import-with-questions.ts";
import type { CommandResult } from "../output/document.ts";
import type { Session } from "../program/session.ts";
import { refuseUnasked } from "../prompts/confirm.ts";
import { openBackup, restoreJournal, signerOf } from "../wiring/archive-file.ts";
import { parseBackupReference } from "../wiring/backup-reference.ts";
import { suspicionOf } from "./import.ts";
import { openClient, toReportedStack, resolveStack } from "../wiring/stack.ts";

/** The arguments of `stackferry restore`, normalised. */
export interface RestoreRequest extends ImportRequest {
  /** The backup to restore, in the form that `parseBackupReference` parses. */
  readonly backup: string;
  readonly to: string;
  /** File of an Ed25519 public key. */
  readonly signer: string | undefined;
}

/** Fetches a backup and imports it. */
export async function runRestore(request: RestoreRequest, session: Session): Promise<CommandResult> {
  refuseUnasked(request, session);
  const backup = parseBackupReference(request.backup, session.startedAt);
  const settings = await resolveStack(request.to, "to", session);
  session.runState.to = toReportedStack(settings);
  await using reader = await openBackup(backup, session, { signer: await signerOf(request.signer, session) });
  session.runState.archive = reader.summary;
  session.runState.from = { label: reader.summary.path, ...reader.manifest.source };
  await using client = openClient(settings, session);
  return await importWithQuestions(
    reader,
    { settings, client, journalBase: restoreJournal(reader.stored, session), restores: true, ...suspicionOf(reader) },
    request,
    session,
  );
}
