import { resolve } from "node:path";
import { StackferryError } from "../../core/errors.ts";
import { hasEveryRecord } from "../../core/manifest.ts";
import { formatSize } from "../../core/text/format.ts";
import { printableText } from "../../core/text/printable.ts";
import { readRecords } from "../../import/read/archive-records.ts";
import { programName } from "../../library/steps/version.ts";
import { createRedactedReader } from "../../redaction/redact-names.ts";
import { findDeadReferences } from "../../references/dead-references.ts";
import type { Document } from "../../report/document.ts";
import { archivePage, historyPage } from "../../report/html/pages.ts";
import { readStackModel } from "../../report/model/stack.ts";
import { archiveDocument } from "../../report/view/archive.ts";
import { logDocument } from "../../report/view/diff.ts";
import { writeReportPage } from "../output/report-file.ts";
import { documentText } from "../output/text.ts";
import type { ExitCode } from "../program/exit-codes.ts";
import { defineCommand } from "../program/parse/define-command.ts";
import type { Session } from "../program/session.ts";
import { openArchiveFile } from "../wiring/archive-file.ts";
import { findNamedInput } from "../wiring/named-input.ts";
import { createRunRedactor } from "../wiring/config.ts";

/** Draws an archive, or the history of a stack: as text, or as an HTML page. */
export const reportCommand = defineCommand("report", {
  prepare: (args) => args,
  run: async ({ file, out }, session) => {
    if (out !== undefined && resolve(session.io.cwd, file) === resolve(session.io.cwd, out)) {
      throw new StackferryError("usage", "--out names the file to read", { hint: "name another file" });
    }
    const isHistory = !file.includes("@") && (await findNamedInput(file, session)).is === "backup";
    const {
      document,
      page,
      exitCode,
      unread = () => {},
    } = isHistory ? await ofHistory(file, session) : await ofArchive(file, session);
    if (out === undefined) {
      const shown = document();
      return { exitCode, text: (display) => documentText(shown, display), isPayload: true };
    }
    const { path, bytes } = await writeReportPage(out, await page(), session);
    unread();
    return {
      exitCode,
      text: () => printableText(`Wrote ${path} (${formatSize(bytes)}): open it in a browser`) + "\n",
      details: { report: { path, bytes } },
    };
  },
});

interface Reported {
  readonly document: () => Document;
  readonly page: () => Promise<string>;
  readonly exitCode: ExitCode;
  /** Warns of what the page lacks. */
  readonly unread?: () => void;
}

async function ofHistory(file: string, session: Session): Promise<Reported> {
  const { readStackLog, exitCodeOfLog, emitUnreadWarnings } = await import("./log.ts");
  const log = await readStackLog({ backups: file, kinds: [], filter: { include: [], exclude: [] } }, session);
  const at = new Date(session.startedAt).toISOString();
  return {
    document: () => logDocument(log, [], true),
    page: () => historyPage({ log, repository: file, at, madeBy: programName() }),
    exitCode: exitCodeOfLog(log),
    unread: () => emitUnreadWarnings(log, session),
  };
}

async function ofArchive(file: string, session: Session): Promise<Reported> {
  await using reader = await openArchiveFile(file, session);
  const { summary, notes = [] } = reader;
  session.runState.from = { label: file, ...reader.manifest.source };
  session.events({ type: "phase", phase: "reading the archive", total: reader.manifest.entries.length });
  const redacted = await createRedactedReader(reader, await createRunRedactor(session));
  const records = await readRecords(redacted, session.signal);
  const { manifest } = redacted;
  const danglingReferences = findDeadReferences(records, (kind) => hasEveryRecord(manifest.kinds[kind]));
  const archive = { summary, manifest, model: readStackModel(records), danglingReferences, notes };
  return {
    document: () => archiveDocument(archive),
    page: () => archivePage({ ...archive, madeBy: programName(), signal: session.signal }),
    exitCode: 0,
  };
}
