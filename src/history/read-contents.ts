import pLimit from "p-limit";
import type { ArchiveFile } from "../backup/archive-names.ts";
import type { BackupContext } from "../backup/backup-context.ts";
import { readHistory, type JudgedArchive } from "../backup/history.ts";
import { openStoredArchive } from "../backup/open-stored-archive.ts";
import { noBackupError } from "../backup/select-backup.ts";
import type { Manifest, ManifestEntry } from "../core/manifest.ts";
import { pluralize } from "../core/text/format.ts";
import { keyOfRecord, type RecordKey } from "../core/records/record.ts";
import type { LogProblem } from "../core/diff.ts";

export interface BackupContent {
  readonly archive: ArchiveFile;
  readonly isSuspect: boolean;
  readonly manifest: Pick<Manifest, "source" | "kinds" | "filter">;
  readonly entries: ReadonlyMap<RecordKey, ManifestEntry>;
}

export interface UnusedBackup {
  readonly archive: ArchiveFile;
  readonly problem: LogProblem;
}

/** Unix milliseconds; both ends are included, and undefined means no end. */
export interface TimeRange {
  readonly since?: number | undefined;
  readonly until?: number | undefined;
}

export interface ReadRange extends TimeRange {
  /** True for a search: a suspect backup can be the only one with a record. */
  readonly withSuspect?: boolean;
}

/** An object store answers parallel requests sooner than consecutive ones. */
const PARALLEL = 6;

/**
 * Reads the last usable backup before the range, too, for comparison with the first. The oldest backup comes first.
 * @throws StackferryError `usage` if the stack has no backup
 */
export async function readContents(
  stack: string,
  { since = -Infinity, until = Infinity, withSuspect = false }: ReadRange,
  context: BackupContext,
) {
  const { archives } = await readHistory(stack, context);
  if (archives.length === 0) throw noBackupError(stack, "", context);
  const past = archives.filter(({ at, flaw }) => at <= until && flaw?.code !== "unfinished-backup");
  const inRange = past.filter(({ at }) => at >= since);
  context.events({
    type: "phase",
    phase: `reading the manifests of ${pluralize(inRange.length, "backup")}`,
    total: inRange.length,
  });
  const limit = pLimit(PARALLEL);
  const readOne = (archive: JudgedArchive) => readContent(archive, withSuspect, context);
  const read = await Promise.all(inRange.map((archive) => limit(() => readOne(archive))));
  for (const archive of past.filter(({ at }) => at < since)) {
    const before = await readOne(archive);
    if (before === undefined || "problem" in before) continue;
    read.push(before);
    break;
  }
  const oldestFirst = read.toReversed().filter((backup) => backup !== undefined);
  return {
    contents: sharingEntries(oldestFirst.filter((backup) => "manifest" in backup)),
    unused: oldestFirst.filter((backup) => "problem" in backup),
  };
}

/** Returns undefined for a backup that another run has just removed. */
export async function readContent(
  archive: JudgedArchive,
  withSuspect: boolean,
  context: BackupContext,
): Promise<BackupContent | UnusedBackup | undefined> {
  context.signal?.throwIfAborted();
  const unused = (problem: LogProblem): UnusedBackup => ({ archive, problem });
  const { flaw } = archive;
  const isSuspect = flaw?.code === "suspect-backup";
  if (flaw !== undefined && !(isSuspect && withSuspect)) return unused(flaw);
  const opened = await openStoredArchive(archive, context);
  if (opened.state === "gone") return undefined;
  if (opened.state === "sealed")
    return unused({ code: "wrong-key", message: "it is encrypted, and no given key opens it (--identity gives one)" });
  if (opened.state === "flawed") return unused(opened.flaw);
  await using reader = opened.reader;
  return contentOf(archive, reader.manifest, isSuspect);
}

export function contentOf(
  archive: ArchiveFile,
  { source, kinds, filter, entries }: Manifest,
  isSuspect: boolean,
): BackupContent {
  const manifest = { source, kinds, ...(filter !== undefined && { filter }) };
  return { archive, isSuspect, manifest, entries: new Map(entries.map((entry) => [keyOfRecord(entry), entry])) };
}

/** Without sharing, a year of daily backups would hold each entry 365 times. */
function sharingEntries(contents: readonly BackupContent[]): BackupContent[] {
  let before: BackupContent["entries"] = new Map();
  return contents.map((content) => {
    const entries = new Map(
      [...content.entries].map(([key, entry]) => {
        const earlier = before.get(key);
        return [key, earlier !== undefined && isSameEntry(earlier, entry) ? earlier : entry];
      }),
    );
    before = entries;
    return { ...content, entries };
  });
}

function isSameEntry(left: ManifestEntry, right: ManifestEntry): boolean {
  return left.sha256 === right.sha256 && left.name === right.name && left.path === right.path;
}
