import type { ImportRequest } from "../commands/import-flags.ts";
import { openArchiveFile } from "../open-archive-file.ts";
import { openClient, reported, resolveFor } from "../open-stack.ts";
import type { CommandResult } from "../report.ts";
import type { Session } from "../session.ts";
import { importArchive } from "./import-archive.ts";

/** Imports an archive onto a stack. */
export async function runImport(
  request: ImportRequest & { readonly archive: string; readonly to: string },
  session: Session,
): Promise<CommandResult> {
  const settings = await resolveFor(request.to, "to", session);
  session.facts.to = reported(settings);
  await using reader = await openArchiveFile(request.archive, session);
  session.facts.from = { label: request.archive, ...reader.manifest.source };
  await using client = openClient(settings, session);
  return await importArchive(reader, { settings, client, journalBase: request.archive }, request, session);
}
