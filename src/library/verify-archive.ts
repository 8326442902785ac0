import { requireOptions } from "./options/option-values.ts";
import { verifyRecords, type VerifyProblem } from "../backup/open-stored-archive.ts";
import type { RunContext } from "../core/events.ts";
import { hasEveryRecord, type DeadReference } from "../core/manifest.ts";
import type { ArchiveReader, ArchiveSummary } from "../core/ports.ts";
import type { StackIdentity } from "../core/records/record.ts";
import { DeadReferenceFinder, deadReferencesOf } from "../references/dead-references.ts";
import { withRun, type RunOptions } from "./run.ts";
import {
  ARCHIVE_ACCESS,
  localArchivePath,
  openArchiveAt,
  archiveReadOptions,
  type ArchiveAccess,
} from "./steps/archive-file.ts";

export interface VerifyArchiveOptions extends ArchiveAccess {
  readonly archive: string;
}

/** `problems` lists no damage: a damaged archive throws `archive-damaged`. */
export interface VerifyResult {
  readonly records: number;
  readonly problems: readonly VerifyProblem[];
  /** References to records that the stack did not have at the time of the export. */
  readonly dangling: readonly DeadReference[];
}

/** The archive is good if `problems` is empty. */
export interface VerifyArchiveResult extends VerifyResult {
  readonly archive: ArchiveSummary;
  readonly source: StackIdentity;
}

/**
 * Reads and checks every record of an archive: checksums, schemas, references.
 * @throws StackferryError `usage` (no such file), `archive-damaged`, `archive-unknown` (not an archive, or of a later version),
 * `config` (encrypted, and no key given), `wrong-key`, `archive-io`, `interrupted`
 * @example const { problems, dangling } = await verifyArchive("backup.zip");
 */
export async function verifyArchive(
  archive: string | VerifyArchiveOptions,
  run: RunOptions = {},
): Promise<VerifyArchiveResult> {
  const options = typeof archive === "string" ? { archive } : archive;
  requireOptions(options, { ...ARCHIVE_ACCESS, archive: true });
  const path = localArchivePath(options.archive, "archive");
  return withRun(run, async (context) => {
    await using reader = await openArchiveAt(path, archiveReadOptions(options));
    return { archive: reader.summary, source: reader.manifest.source, ...(await verifyReader(reader, context)) };
  });
}

/** Reads the records again only to locate dangling references. */
export async function verifyReader(reader: ArchiveReader, context: RunContext): Promise<VerifyResult> {
  const { entries, kinds } = reader.manifest;
  context.events({ type: "phase", phase: "verify", total: entries.length });
  const finder = new DeadReferenceFinder();
  const problems = await verifyRecords(reader, context, (record) => finder.addRecord(record));
  const dead = finder.findDeadKeys((kind) => hasEveryRecord(kinds[kind]));
  const dangling: DeadReference[] = [];
  for (const entry of dead.size > 0 ? entries : []) dangling.push(...deadReferencesOf(await reader.read(entry), dead));
  return { records: entries.length, problems, dangling };
}
