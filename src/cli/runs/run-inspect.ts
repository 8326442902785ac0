import { openArchiveFile } from "../open-archive-file.ts";
import { inspectText } from "../render/archive-text.ts";
import type { CommandResult } from "../report.ts";
import type { Session } from "../session.ts";

/** Shows what an archive's manifest says. The records themselves are not read: `verify` does that. */
export async function runInspect(path: string, session: Session): Promise<CommandResult> {
  await using reader = await openArchiveFile(path, session);
  session.facts.from = { label: path, ...reader.manifest.source };
  const { manifest, summary } = reader;
  return {
    exitCode: 0,
    text: (view) => inspectText(manifest, summary, view),
    warnings: manifest.warnings,
    extra: { manifest },
  };
}
