import { archiveArgument } from "../program/flags.ts";
import { inspectArchive } from "../../library/steps/inspect-archive.ts";
import { archiveDocument } from "../../report/view/archive.ts";
import { documentText } from "../output/text.ts";
import { defineCommand } from "../program/commands.ts";
import { openArchiveFile } from "../inputs/archive.ts";
import { createRunRedactor } from "../inputs/config.ts";

/** Shows the manifest of an archive, and what its records need that no archive holds. */
export const command = defineCommand({
  positionals: { archive: archiveArgument },
  flags: {},
  examples: [["inspect backup.zip", "where it came from, what it lacks, and every record in it"]],
  exitCodes: [0, 1, 2, 4, 5, 6, 130],
  run: async ({ archive }, session) => {
    await using reader = await openArchiveFile(archive, session);
    session.runState.from = { label: archive, ...reader.manifest.source };
    const { summary, notes = [] } = reader;
    const { manifest, needed, displayNames } = await inspectArchive(
      reader,
      await createRunRedactor(session),
      session.signal,
    );
    const document = archiveDocument({ summary, manifest, notes, needed, displayNames });
    return {
      exitCode: 0,
      text: (display) => documentText(document, display),
      warnings: manifest.warnings,
      details: { manifest, needed },
    };
  },
});
