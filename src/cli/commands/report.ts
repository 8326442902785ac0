import { defineCommand } from "../program/parse/define-command.ts";
import { resolve } from "node:path";
import { StackferryError } from "../../core/errors.ts";
import { printableText } from "../../core/text/printable.ts";
import { formatSize } from "../../core/text/format.ts";
import { readRecords } from "../../import/read/archive-records.ts";
import { programName } from "../../library/steps/version.ts";
import { hasEveryRecord } from "../../core/manifest.ts";
import { createRedactedReader } from "../../redaction/redact-names.ts";
import { findDeadReferences } from "../../references/dead-references.ts";
import { archivePage } from "../../report/html/archive-page.ts";
import { writeReportPage } from "../output/report-file.ts";
import type { Session } from "../program/session.ts";
import type { ExitCode } from "../program/exit-codes.ts";
import { openArchiveFile } from "../wiring/archive-file.ts";
import { createRunRedactor } from "../wiring/config.ts";
import { backupReferenceOf } from "../wiring/backup-reference.ts";

export const reportCommand = defineCommand("report", {
  prepare: (args) => args,
  run: async ({ file, out }, session) => {
    const source = resolve(session.io.cwd, file);
    if (source === resolve(session.io.cwd, out)) {
      throw new StackferryError("usage", "--out names the file to read", { hint: "name another file" });
    }
    const { page, exitCode = 0 } = await pageOf(file, session);
    const { path, bytes } = await writeReportPage(out, page, session);
    return {
      exitCode,
      text: () => printableText(`Wrote ${path} (${formatSize(bytes)}): open it in a browser`) + "\n",
      details: { report: { path, bytes } },
    };
  },
});

async function pageOf(
  file: string,
  session: Session,
): Promise<{ readonly page: string; readonly exitCode?: ExitCode }> {
  const isHistory = !file.includes("@") && (await backupReferenceOf(file, session)) !== undefined;
  return isHistory ? ofHistory(file, session) : { page: await ofArchive(file, session) };
}

async function ofHistory(file: string, session: Session) {
  const { readStackLog, exitCodeOfLog } = await import("./log.ts");
  const { historyPage } = await import("../../report/html/change-pages.ts");
  const log = await readStackLog({ backups: file, kinds: [], filter: { include: [], exclude: [] } }, session);
  const at = new Date(session.startedAt).toISOString();
  return { page: historyPage({ log, repository: file, at, madeBy: programName() }), exitCode: exitCodeOfLog(log) };
}

async function ofArchive(file: string, session: Session): Promise<string> {
  await using reader = await openArchiveFile(file, session);
  const { summary } = reader;
  session.runState.from = { label: file, ...reader.manifest.source };
  session.events({ type: "phase", phase: "reading the archive", total: reader.manifest.entries.length });
  const redacted = await createRedactedReader(reader, await createRunRedactor(session));
  const records = await readRecords(redacted, session.signal);
  const { manifest } = redacted;
  const dead = findDeadReferences(records, (kind) => hasEveryRecord(manifest.kinds[kind]));
  const content = {
    summary,
    manifest,
    records,
    danglingReferences: dead,
    notes: reader.notes ?? [],
    madeBy: programName(),
  };
  return archivePage(content, session.signal);
}
