import type { Warning } from "../../core/outcome.ts";
import type { Bases } from "../../core/plan/base.ts";
import type { ArchiveReader } from "../../core/ports.ts";
import { splitKey, type NamedRecord, type StackRecord } from "../../core/records/record.ts";
import { findUnusedPatterns, unreadKinds, type SearchedRecords } from "../../kinds/unused-patterns.ts";
import { recordsOf, type Inventory } from "../../matching/inventory.ts";
import { redactName } from "../../redaction/redact-names.ts";
import type { Redactor } from "../../redaction/redactor.ts";
import type { NormalisedImport } from "../options/import-options.ts";
import type { AppliedFiles } from "./open-files.ts";

/** The import whose patterns are checked. */
export interface SearchedImport extends Pick<NormalisedImport, "options" | "redact" | "mirror"> {
  readonly reader: ArchiveReader;
  /** The code files, if the import reads them instead of an archive. */
  readonly files?: AppliedFiles | undefined;
  /** Returns the command that finds the backups with a record; absent unless the archive is a backup. */
  readonly findCommand?: ((pattern: string) => string) | undefined;
}

/** Refuses a pattern that matches no record of the archive, before the target is read. @throws StackferryError `usage` */
export async function refuseUnusedPatterns(job: SearchedImport, archived: readonly StackRecord[]): Promise<void> {
  const { include } = job.options.filter;
  const records = [...job.reader.manifest.entries, ...archived];
  await findUnusedPatterns({ include, exclude: [] }, searchedRecords(job, records, job.redact));
}

/** Returns the records of the archive or of the files, among which patterns are searched. */
function searchedRecords(
  { reader, files, findCommand }: SearchedImport,
  records: readonly NamedRecord[],
  redact: Redactor,
): SearchedRecords {
  const leftOut = files?.leftOut ?? [];
  return {
    records: [...records, ...leftOut],
    where: files === undefined ? "in the archive" : "in the files",
    // The name of a record whose file has a mistake may be unknown.
    unread:
      files === undefined
        ? unreadKinds(Object.entries(reader.manifest.kinds))
        : [...new Set(leftOut.map(({ kind }) => kind))],
    findCommand,
    nameOf: (record) => redactName(record, redact),
  };
}

interface ReadByImport {
  readonly inventory: Inventory;
  readonly bases: Bases;
  readonly redact: Redactor;
  readonly records: SearchedRecords["records"];
}

/**
 * Finds the patterns that match no record of the archive. In a mirror, a pattern may also match a record to delete, by any of its
 * names.
 * @param read what the import has read; `records` are those of the archive, before and after the transforms
 */
export async function warnOfUnusedPatterns(job: SearchedImport, read: ReadByImport): Promise<Warning[]> {
  const { inventory, bases, redact } = read;
  const { options, mirror } = job;
  const target = recordsOf(inventory);
  const removable = mirror === undefined ? [] : [...target, ...recordsInJournal(bases)];
  return findUnusedPatterns(options.filter, {
    ...searchedRecords(job, [...read.records, ...removable], redact),
    protectedRecords: target,
    mayBeGone: mirror !== undefined,
  });
}

function recordsInJournal(bases: Bases): NamedRecord[] {
  return [...bases].flatMap(([key, { name, sourceName = name }]) => {
    const [kind, id] = splitKey(key);
    return [name, sourceName].map((each) => ({ kind, id, name: each }));
  });
}
