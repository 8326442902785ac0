import type { BackupDependencies } from "../backup/dependencies.ts";
import type { RunContext } from "../core/events.ts";
import { StackferryError } from "../core/errors.ts";
import { isSelected, type RecordFilter } from "../core/records/record-filter.ts";
import type { KindName, RecordKey } from "../core/records/record.ts";
import { matchesAny, similarName } from "../kinds/unused-patterns.ts";
import type { Redactor } from "../redaction/redactor.ts";
import { redactName } from "../redaction/redact-names.ts";
import { readContents, type BackupContent } from "./read-contents.ts";

/** The records that match a name or id, in the backups of one stack. */
export interface FoundRecords {
  readonly stack: string;
  readonly records: readonly RecordInBackups[];
  /** Number of searched backups; `newest` is the name of the newest of these backups. */
  readonly searched: number;
  readonly newest?: string;
  /** Backups that could not be searched, because they cannot be read. */
  readonly unread: readonly string[];
  /** Suspect backups, which are not searched because they contain far fewer records than earlier backups. */
  readonly suspect: readonly string[];
}

/**
 * Searches all backups except suspect ones for records by name or id.
 * @throws StackferryError `usage` if no backup has such a record
 */
export async function findRecordsInBackups(
  stacks: readonly string[],
  include: readonly string[],
  redact: Redactor,
  dependencies: BackupDependencies,
  context: RunContext,
): Promise<FoundRecords[]> {
  const found: FoundRecords[] = [];
  const searched: BackupContent[] = [];
  for (const stack of stacks) {
    const { contents, unused } = await readContents(stack, {}, dependencies, context);
    searched.push(...contents);
    const newest = contents.at(-1)?.archive.name;
    found.push({
      stack,
      records: await findRecords(contents, include, redact),
      searched: contents.length,
      ...(newest !== undefined && { newest }),
      unread: unused.filter(({ problem }) => problem.code !== "suspect-backup").map(({ archive }) => archive.name),
      suspect: unused.filter(({ problem }) => problem.code === "suspect-backup").map(({ archive }) => archive.name),
    });
  }
  await refuseUnknownNames(searched, { include }, stacks.join(", "), redact);
  return found;
}

/** A record, and the backups of one stack that contain the record. */
export interface RecordInBackups {
  readonly kind: KindName;
  readonly id: string;
  /** The record's name in the newest of the backups that contain the record. */
  readonly name: string;
  /** The names of the backups that contain the record, the oldest first. */
  readonly archives: readonly string[];
}

/**
 * Finds the records whose name or id matches a pattern in at least one backup. Each record comes with all backups that contain the
 * record, even under another name.
 * @param contents the backups, the oldest first
 */
async function findRecords(
  contents: readonly BackupContent[],
  include: readonly string[],
  redact: Redactor,
): Promise<RecordInBackups[]> {
  const found: RecordInBackups[] = [];
  for (const key of selectedKeys(contents, { include, exclude: [] }, [])) {
    const holders = contents.filter(({ entries }) => entries.has(key));
    const entry = holders.at(-1)?.entries.get(key);
    if (entry === undefined) continue;
    const { kind, id } = entry;
    const name = await redactName(entry, redact);
    found.push({ kind, id, name, archives: holders.map(({ archive }) => archive.name) });
  }
  return found;
}

/** Lists the keys of the records that the filter selects in at least one backup. @param kinds empty means all */
export function selectedKeys(
  contents: readonly BackupContent[],
  filter: RecordFilter,
  kinds: readonly KindName[],
): ReadonlySet<RecordKey> {
  const keys = contents.flatMap(({ entries }) =>
    [...entries].flatMap(([key, entry]) =>
      (kinds.length === 0 || kinds.includes(entry.kind)) && isSelected(entry, filter) ? [key] : [],
    ),
  );
  return new Set(keys);
}

/** Refuses a name that no record has in any backup, and suggests a similar one. @throws StackferryError `usage` */
export async function refuseUnknownNames(
  contents: readonly BackupContent[],
  { include }: Pick<RecordFilter, "include">,
  stack: string,
  redact: Redactor,
): Promise<void> {
  if (contents.length === 0 || include.length === 0) return;
  const records = contents.flatMap(({ entries }) => [...entries.values()]);
  const unknown = include.find((pattern) => !matchesAny(pattern, records));
  if (unknown === undefined) return;
  const similar = await similarName(unknown, { records, nameOf: (record) => redactName(record, redact) });
  throw new StackferryError("usage", `no backup of ${stack} has a record "${unknown}"`, {
    hint:
      similar === undefined
        ? "check the name: * stands for any text, and upper and lower case differ"
        : `did you mean "${similar}"?`,
  });
}
