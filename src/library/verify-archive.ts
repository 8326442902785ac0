import { requireOptions } from "./options/option-values.ts";
import { verifyRecords, type VerifyResult } from "../backup/verify-archive.ts";
import type { ArchiveSummary } from "../core/ports.ts";
import type { StackIdentity } from "../core/records/record.ts";
import { withRun, type RunOptions } from "./run.ts";
import { localArchivePath, openArchiveAt, archiveReadOptions, type ArchiveAccess } from "./steps/archive-file.ts";

/** The archive to check, and the keys to open it. */
export interface VerifyArchiveOptions extends ArchiveAccess {
  readonly archive: string;
}

/** The result of checking an archive. The archive is good if `problems` is empty. */
export interface VerifyArchiveResult extends VerifyResult {
  readonly archive: ArchiveSummary;
  /** The stack that was exported. */
  readonly source: StackIdentity;
}

/**
 * Reads and checks every record of an archive: checksums, schemas, references.
 * @throws StackferryError `usage` (no such file), `archive-damaged` (truncated, altered, not signed by `signer`), `archive-unknown`
 * (not an archive, or of a later version), `config` (encrypted, and no key given), `archive-io`, `interrupted`
 * @example
 * const { problems, dangling } = await verifyArchive("backup.zip");
 */
export async function verifyArchive(
  archive: string | VerifyArchiveOptions,
  run: RunOptions = {},
): Promise<VerifyArchiveResult> {
  const options = typeof archive === "string" ? { archive } : archive;
  requireOptions(options);
  const path = localArchivePath(options.archive, "archive");
  return withRun(run, async (context) => {
    await using reader = await openArchiveAt(path, archiveReadOptions(options));
    const result = await verifyRecords(reader, context);
    return { archive: reader.summary, source: reader.manifest.source, ...result };
  });
}
