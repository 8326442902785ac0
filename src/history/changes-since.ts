import type { BackupContext } from "../backup/backup-context.ts";
import type { FindChanges, FoundChanges } from "../backup/changes.ts";
import { isKeyError } from "../backup/open-stored-archive.ts";
import type { LogProblem } from "../core/diff.ts";
import type { ArchiveReader } from "../core/ports.ts";
import type { Redactor } from "../redaction/redactor.ts";
import { findDifferences } from "./find-differences.ts";
import { contentOf, readContent } from "./read-contents.ts";
import { openArchives } from "./open-archives.ts";
import { entryOf, readingOfAll } from "./read-log.ts";

export function createFindChanges(redact: Redactor): FindChanges {
  return async (before, { archive, path }, context): Promise<FoundChanges> => {
    const earlier = await readContent(before, true, context);
    if (earlier === undefined || "problem" in earlier) {
      const gone: LogProblem = { code: "missing-backup", message: "it was removed meanwhile" };
      return { isSame: false, notRead: [], problem: earlier?.problem ?? gone };
    }
    const reader = await openNewArchive(path, context);
    if (reader === undefined) {
      const message = "this backup is encrypted, and no key was given that opens it (--identity gives one)";
      return { isSame: false, notRead: [], problem: { code: "wrong-key", message } };
    }
    await using archives = openArchives(redact, context, [[archive.name, reader]]);
    const contents = [earlier, contentOf(archive, reader.manifest, false)];
    const [, difference] = findDifferences(contents);
    if (difference === undefined) return { isSame: true, records: [], notRead: [] };
    const entry = await entryOf(difference, readingOfAll(contents, redact, archives, context));
    if (entry === undefined) return { isSame: true, records: [], notRead: [] };
    const { changes: records, notRead, problem } = entry;
    const isSame = records.length === 0 && problem === undefined;
    return { isSame, records, notRead, ...(problem !== undefined && { problem }) };
  };
}

async function openNewArchive(path: string, { openArchive }: BackupContext): Promise<ArchiveReader | undefined> {
  try {
    return await openArchive(path);
  } catch (error) {
    if (isKeyError(error)) return undefined;
    throw error;
  }
}
