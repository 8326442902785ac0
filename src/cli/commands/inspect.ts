import type { StackRecord } from "../../core/records/record.ts";
import { eachRecord } from "../../import/read/archive-records.ts";
import { kindsWithWriteOnlyFields, writeOnlyMembersOf } from "../../kinds/members/write-only.ts";
import { createRedactedReader } from "../../redaction/redact-names.ts";
import { archiveDocument } from "../../report/view/archive.ts";
import { openArchiveFile } from "../inputs/archive.ts";
import { createRunRedactor } from "../inputs/config.ts";
import { documentText } from "../output/text.ts";
import { defineCommand } from "../program/define-command.ts";
import { archiveArgument } from "../program/flags.ts";

export const command = defineCommand({
  positionals: { archive: archiveArgument },
  flags: {},
  examples: [["inspect backup.zip", "where it came from, what it lacks, and every record in it"]],
  exitCodes: [0, 1, 2, 4, 5, 6, 130],
  run: async ({ archive }, session) => {
    await using reader = await openArchiveFile(archive, session);
    session.runState.from = { label: archive, ...reader.manifest.source };
    const { summary, notes = [] } = reader;
    const redacted = await createRedactedReader(reader, await createRunRedactor(session));
    const { manifest } = redacted;
    const names = kindsWithWriteOnlyFields();
    const entries = manifest.entries.filter(({ kind }) => names.includes(kind));
    const records: StackRecord[] = [];
    for await (const [, record] of eachRecord(redacted, entries, session.signal)) records.push(record);
    const needed = writeOnlyMembersOf(records);
    const document = archiveDocument({ summary, manifest, notes, needed });
    return {
      exitCode: 0,
      text: (display) => documentText(document, display),
      warnings: manifest.warnings,
      details: { manifest, needed },
    };
  },
});
