import { resolve } from "node:path";
import { StackferryError } from "../../core/errors.ts";
import type { StackLog } from "../../core/diff.ts";
import { formatSize } from "../../core/text/format.ts";
import { printableText } from "../../core/text/printable.ts";
import type { Document, Fact } from "../../report/document.ts";
import { startFact, writeReportPage } from "../output/report-file.ts";
import type { ExitCode } from "../program/exit-codes.ts";
import type { Session } from "../program/session.ts";
import { documentText } from "../output/text.ts";
import { logDocument } from "../../report/view/diff.ts";
import { readRecords } from "../../import/read/archive-records.ts";
import { createRedactedReader } from "../../redaction/redact-names.ts";
import { readStackModel } from "../../report/model/stack.ts";
import { archiveDocument } from "../../report/view/archive.ts";
import { emitUnreadWarnings, exitCodeOfLog, readStackLog } from "./log.ts";
import { defineCommand } from "../program/define-command.ts";
import { openArchiveFile } from "../inputs/archive.ts";
import { createRunRedactor } from "../inputs/config.ts";
import { findNamedInput, hasTime } from "../inputs/argument.ts";

export const command = defineCommand({
  positionals: {
    file: {
      demandOption: true,
      describe: "Archive, backup (REPO/STACK@TIME, REPO/STACK@latest), or REPO/STACK for its history",
    },
  },
  flags: {
    out: { writes: true, describe: "HTML file to write (default: print the report as text)" },
  },
  examples: [
    ["report backup.zip", "every dashboard with its tiles, every alert in words"],
    ["report backup.zip --out backup.html", "an HTML page, every dashboard drawn"],
    ["report /var/backups/stacks/production --out history.html", "what changed from backup to backup"],
  ],
  exitCodes: [0, 1, 2, 3, 4, 5, 6, 130],
  run: async ({ file, out }, session) => {
    if (out !== undefined && resolve(session.io.cwd, file) === resolve(session.io.cwd, out)) {
      throw new StackferryError("usage", "--out names the file to read", { hint: "name another file" });
    }
    const isHistory = !hasTime(file) && (await findNamedInput(file, session)).is === "backup";
    const { document, exitCode, log } = isHistory ? await ofHistory(file, session) : await ofArchive(file, session);
    if (out === undefined) return { exitCode, text: (display) => documentText(document, display), isPayload: true };
    const { path, bytes } = await writeReportPage(out, document, session);
    if (log !== undefined) emitUnreadWarnings(log, session);
    return {
      exitCode,
      text: () => printableText(`Wrote ${path} (${formatSize(bytes)}): open it in a browser`) + "\n",
      details: { report: { path, bytes } },
    };
  },
});

interface Reported {
  readonly document: Document;
  readonly exitCode: ExitCode;
  readonly log?: StackLog;
}

async function ofHistory(file: string, session: Session): Promise<Reported> {
  const log = await readStackLog({ backups: file, kinds: [], filter: { include: [], exclude: [] } }, session);
  const facts: Fact[] = [["Backups", file], startFact(session), ["Who", "The API does not say who changed a record."]];
  return { document: logDocument(log, facts, true), exitCode: exitCodeOfLog(log.entries), log };
}

async function ofArchive(file: string, session: Session): Promise<Reported> {
  await using reader = await openArchiveFile(file, session);
  const { summary, notes = [] } = reader;
  session.runState.from = { label: file, ...reader.manifest.source };
  session.events({ type: "phase", phase: "reading the archive", total: reader.manifest.entries.length });
  const redacted = await createRedactedReader(reader, await createRunRedactor(session));
  const records = await readRecords(redacted, session.signal);
  const { manifest } = redacted;
  const model = readStackModel(records);
  return { document: archiveDocument({ summary, manifest, model, notes }), exitCode: 0 };
}
