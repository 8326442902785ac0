import type { ImportRequest } from "../commands/import-flags.ts";
import { openArchiveFile } from "../open-archive-file.ts";
import { openClient, reported, resolveFor } from "../open-stack.ts";
import type { CommandResult } from "../report.ts";
import type { Session } from "../session.ts";
import { splitPlace } from "../split-place.ts";
import { isS3Address } from "../../storage/open-place.ts";
import { signerOf } from "../signer-of.ts";
import { importArchive } from "./import-archive.ts";

/** Imports an archive onto a stack. */
export async function runImport(
  request: ImportRequest & { readonly archive: string; readonly to: string; readonly signer: string | undefined },
  session: Session,
): Promise<CommandResult> {
  const settings = await resolveFor(request.to, "to", session);
  session.facts.to = reported(settings);
  const signer = await signerOf(request.signer, session);
  await using reader = await openArchiveFile(request.archive, session, { signer });
  session.facts.from = { label: request.archive, ...reader.manifest.source };
  await using client = openClient(settings, session);
  return await importArchive(
    reader,
    { settings, client, journalBase: journalBaseOf(request.archive) },
    request,
    session,
  );
}

/** The journal of an archive that is not on this machine is kept where the command is run. */
function journalBaseOf(archive: string): string {
  return isS3Address(archive) ? `stackferry-import-${splitPlace(archive).name}` : archive;
}
