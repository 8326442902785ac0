import type { Warning } from "../../core/outcome.ts";
import type { ArchiveReader } from "../../core/ports.ts";
import type { NamedRecord } from "../../core/records/record.ts";
import { findUnusedPatterns, unreadKinds } from "../../kinds/unused-patterns.ts";
import { redactName } from "../../redaction/redact-names.ts";
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

/**
 * Returns warnings about the patterns of an import that match no record.
 * @param records those of the archive or of the files; in a mirror, also those that it may delete, by any of their names
 * @throws StackferryError `usage` for a pattern of `--include` that certainly matches none
 */
export async function warnOfUnusedPatterns(
  { reader, files, findCommand, options, redact, mirror }: SearchedImport,
  records: readonly NamedRecord[],
): Promise<Warning[]> {
  const leftOut = files?.leftOut ?? [];
  return findUnusedPatterns(options.filter, {
    records: [...records, ...leftOut],
    where: files === undefined ? "in the archive" : "in the files",
    // The name of a record whose file has a mistake may be unknown.
    unread:
      files === undefined
        ? unreadKinds(Object.entries(reader.manifest.kinds))
        : [...new Set(leftOut.map(({ kind }) => kind))],
    mayBeGone: mirror !== undefined,
    findCommand,
    nameOf: (record) => redactName(record, redact),
  });
}
