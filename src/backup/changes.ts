import type { BackupChanges, RecordChange } from "../core/diff.ts";
import { StackferryError } from "../core/errors.ts";
import type { KindName } from "../core/records/record.ts";
import type { ArchiveEntry } from "./archive-entry.ts";
import type { ArchiveFile } from "./archive-names.ts";
import type { BackupContext } from "./backup-context.ts";
import type { ArchiveWithEntry, JudgedArchive } from "./history.ts";
import { countsOf } from "./suspect.ts";

export interface NewArchive {
  readonly archive: ArchiveFile;
  readonly path: string;
  readonly entry: ArchiveEntry;
}

export type FindChanges = (before: JudgedArchive, after: NewArchive, context: BackupContext) => Promise<FoundChanges>;

export type FoundChanges = Omit<BackupChanges, "since" | "recordsBefore">;

/** If the comparison fails, the backup goes on, and `problem` says why. */
export async function findChangesSince(
  lastGood: ArchiveWithEntry | undefined,
  after: NewArchive,
  findChanges: FindChanges | undefined,
  context: BackupContext,
): Promise<BackupChanges | undefined> {
  if (lastGood === undefined || findChanges === undefined) return undefined;
  const { kinds, recordsDigest } = lastGood.entry;
  const about = { since: lastGood.name, recordsBefore: countsOf(kinds) };
  const isSame = recordsDigest !== undefined && after.entry.recordsDigest === recordsDigest;
  if (isSame) return { ...about, isSame, records: [], notRead: [] };
  try {
    return { ...about, ...(await findChanges(lastGood, after, context)) };
  } catch (error) {
    context.signal?.throwIfAborted();
    if (!(error instanceof StackferryError)) throw error;
    return { ...about, isSame, notRead: [], problem: { code: "unreadable-record", message: error.message } };
  }
}

export function countChanges(
  records: readonly RecordChange[],
  kinds: readonly KindName[] = [],
): NonNullable<ArchiveEntry["changes"]> {
  const all = [...new Set([...kinds, ...records.map(({ kind }) => kind)])];
  return Object.fromEntries(
    all.map((kind) => {
      const count = (word: RecordChange["change"]): number =>
        records.filter((record) => record.kind === kind && record.change === word).length;
      return [kind, { added: count("added"), removed: count("removed"), changed: count("changed") }];
    }),
  );
}
