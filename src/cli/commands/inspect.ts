import { defineCommand } from "../program/command.ts";
import { archiveArgument } from "../program/shared-flags.ts";

/** Shows the manifest of an archive, and what its records need that no archive holds. */
export const inspectCommand = defineCommand({
  name: "inspect",
  group: "Look",
  describe: "Show what an archive holds",
  positionals: { archive: archiveArgument },
  flags: {},
  examples: [["inspect backup.zip", "where it came from, what it lacks, and every record in it"]],
  exitCodes: [0, 1, 2, 4, 5, 6, 130],
  handler:
    ({ archive }) =>
    async (session) => {
      const { inspectArchive } = await import("../../library/steps/inspect-archive.ts");
      const { archiveDocument } = await import("../../report/view/archive.ts");
      const { documentText } = await import("../output/text.ts");
      const { openArchiveFile } = await import("../wiring/archive-file.ts");
      const { createRunRedactor } = await import("../wiring/config.ts");
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
