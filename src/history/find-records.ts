import { displayNameAt, openArchives, type OpenArchives } from "./open-archives.ts";
import type { BackupContext } from "../backup/backup-context.ts";
import { messageWithHint, StackferryError } from "../core/errors.ts";
import type { RunContext } from "../core/events.ts";
import { isSelected, type RecordFilter } from "../core/records/record-filter.ts";
import type { KindName, RecordKey } from "../core/records/record.ts";
import { matchesAny, similarName } from "../kinds/unused-patterns.ts";
import type { Redactor } from "../redaction/redactor.ts";
import { redactName } from "../redaction/redact-names.ts";
import { readContents, type BackupContent } from "./read-contents.ts";

export interface FoundRecords {
  readonly stack: string;
  readonly records: readonly RecordInBackups[];
  readonly searched: number;
  readonly newest?: string;
  readonly suspect: readonly string[];
  readonly unread: readonly string[];
  readonly encrypted: readonly string[];
}

/** Searches suspect backups, too. @throws StackferryError `usage` if there is no backup, or like `checkNames` */
export async function findRecordsInBackups(
  stacks: readonly string[],
  include: readonly string[],
  redact: Redactor,
  context: BackupContext,
): Promise<FoundRecords[]> {
  if (stacks.length === 0) {
    const hint = "check that this is the right repository, and that the scheduled backups run";
    throw new StackferryError("usage", "there is no backup to search", { hint });
  }
  const found: FoundRecords[] = [];
  const searched: BackupContent[] = [];
  await using archives = openArchives(redact, context);
  for (const stack of stacks) {
    const { contents, unused } = await readContents(stack, { withSuspect: true }, context);
    searched.push(...contents);
    const newest = contents.at(-1)?.archive.name;
    found.push({
      stack,
      records: await findRecords(contents, include, redact, archives),
      searched: contents.length,
      ...(newest !== undefined && { newest }),
      suspect: namesOf(contents.filter(({ isSuspect }) => isSuspect)),
      unread: namesOf(unused),
      encrypted: namesOf(unused.filter(({ problem }) => problem.code === "wrong-key")),
    });
  }
  const isWhole = found.every(({ unread }) => unread.length === 0);
  await checkNames(include, { contents: searched, isWhole, where: stacks.join(", ") }, redact, context);
  return found;
}

function namesOf(backups: readonly Pick<BackupContent, "archive">[]): string[] {
  return backups.map(({ archive }) => archive.name);
}

export interface RecordInBackups {
  readonly kind: KindName;
  readonly id: string;
  readonly name: string;
  /** Only for a record without a name: for example, the name of the tile that an alert watches. */
  readonly displayName?: string;
  readonly archives: readonly string[];
}

/** Lists the backups that contain a record, even under another name. */
async function findRecords(
  contents: readonly BackupContent[],
  include: readonly string[],
  redact: Redactor,
  archives: OpenArchives,
): Promise<RecordInBackups[]> {
  const found: RecordInBackups[] = [];
  for (const key of selectedKeys(contents, { include, exclude: [] }, [])) {
    const holders = contents.filter(({ entries }) => entries.has(key));
    const content = holders.at(-1);
    const entry = content?.entries.get(key);
    if (content === undefined || entry === undefined) continue;
    const { kind, id } = entry;
    const name = await redactName(entry, redact);
    const shown = await displayNameAt({ entry, content }, archives);
    found.push({ kind, id, name, ...shown, archives: holders.map(({ archive }) => archive.name) });
  }
  return found;
}

/** @param kinds empty means all */
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

interface SearchedBackups {
  readonly contents: readonly BackupContent[];
  readonly isWhole: boolean;
  readonly where: string;
}

/**
 * Warns without an error if a backup could not be read, because that backup can have the record.
 * @throws StackferryError `usage` for a pattern without a record
 */
export async function checkNames(
  include: RecordFilter["include"],
  { contents, isWhole, where }: SearchedBackups,
  redact: Redactor,
  { events }: RunContext,
): Promise<void> {
  const records = contents.flatMap(({ entries }) => [...entries.values()]);
  for (const pattern of include.filter((text) => !matchesAny(text, records))) {
    const similar = await similarName(pattern, { records, nameOf: (record) => redactName(record, redact) });
    const which = isWhole ? where : `${where} that was searched`;
    const error = new StackferryError("usage", `no backup of ${which} has a record "${pattern}"`, {
      hint:
        similar === undefined
          ? "check the name: * stands for any text, and upper and lower case differ"
          : `did you mean "${similar}"?`,
    });
    if (isWhole) throw error;
    events({ type: "warning", warning: { code: "unused", message: messageWithHint(error) } });
  }
}
