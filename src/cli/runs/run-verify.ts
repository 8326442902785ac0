import { verifyArchive } from "../../jobs/verify-archive.ts";
import { openArchiveFile } from "../open-archive-file.ts";
import { verifyText } from "../render/archive-text.ts";
import type { CommandResult } from "../report.ts";
import type { Session } from "../session.ts";

/**
 * Reads every record of an archive. A record that is not of its kind counts as damage (4); a reference to something outside
 * the archive does not, as a managed stack's webhooks are never inside.
 */
export async function runVerify(path: string, session: Session): Promise<CommandResult> {
  await using reader = await openArchiveFile(path, session);
  session.facts.from = { label: path, ...reader.manifest.source };
  const { events, signal } = session;
  const result = await verifyArchive(reader, { events, signal });
  const { summary } = reader;
  return {
    exitCode: result.problems.length === 0 ? 0 : 4,
    text: (view) => verifyText(result, summary, view),
    extra: { ...result },
  };
}
