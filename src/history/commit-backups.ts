import type { BackupContext } from "../backup/backup-context.ts";
import type { LogEntry, LogProblem } from "../core/diff.ts";
import { StackferryError } from "../core/errors.ts";
import { hasEveryRecord } from "../core/manifest.ts";
import type { Commit, CommitFolder } from "../core/ports.ts";
import type { StackRecord, Variant } from "../core/records/record.ts";
import { isDamageError } from "../import/read/archive-records.ts";
import { kinds as allKinds } from "../kinds/registry.ts";
import type { Redactor } from "../redaction/redactor.ts";
import { findDifferences } from "./find-differences.ts";
import { openArchives, type OpenArchives } from "./open-archives.ts";
import { readContents, type BackupContent, type TimeRange } from "./read-contents.ts";
import { entryOf, headOf, readingOfAll } from "./read-log.ts";

export interface CommitWords {
  readonly subject: string;
  readonly body: string;
}

export interface CommitRequest extends TimeRange {
  readonly stack: string;
  readonly redact: Redactor;
  readonly filesOf: (records: readonly StackRecord[], variant: Variant) => Commit["files"];
  /** @param entry undefined if nothing has changed since the previous backup */
  readonly describe: (entry: LogEntry | undefined, records: number, isFirst: boolean) => CommitWords;
}

export interface CommittedBackup extends Pick<LogEntry, "archive" | "time" | "notRead"> {
  readonly subject: string;
}

export interface CommittedBackups {
  readonly commits: readonly CommittedBackup[];
  readonly skipped: readonly { readonly archive: string; readonly problem: LogProblem }[];
  readonly head?: string;
}

/** A commit message ends with, for example, `Stackferry-Backup: production@2026-11-21T04:15:00Z`. */
const TRAILER = "Stackferry-Backup";

/** @throws StackferryError `usage` if the stack has no backup, or if the folder has commits, but no commit of this stack */
export async function commitBackups(
  request: CommitRequest,
  folder: CommitFolder,
  context: BackupContext,
): Promise<CommittedBackups> {
  const { stack, redact, since = -Infinity, until } = request;
  const last = lastCommitted(await folder.trailers(TRAILER), stack);
  // A later run ignores `since`: the changes of left-out backups would be in a wrong commit.
  const from = last === undefined ? since : last + 1000;
  const { contents, unused } = await readContents(stack, { since: from, until }, context);
  const skipped = unused.map(({ archive, problem }) => ({ archive: archive.name, problem }));
  const fresh = contents.filter(({ archive }) => archive.at >= from);
  if (fresh.length === 0) return { commits: [], skipped };
  context.events({ type: "phase", phase: "writing commits", total: fresh.length });
  await using archives = openArchives(redact, context);
  const reading = readingOfAll(contents, redact, archives, context);
  const made: CommittedBackup[] = [];
  const head = await folder.commit(commitsOf(), context.signal);
  return { commits: made, skipped, ...(head !== undefined && { head }) };

  async function* commitsOf(): AsyncGenerator<Commit> {
    let before: BackupContent | undefined;
    let compared = contents;
    let differences = findDifferences(compared);
    for (const content of fresh) {
      const difference = differences.find((each) => each.content === content);
      if (difference === undefined) continue;
      context.signal?.throwIfAborted();
      try {
        const isSame = before !== undefined && isEqual(before, content);
        const files = isSame ? NO_CHANGE : await changedFiles(content, archives, request);
        const entry = await entryOf(difference, reading);
        const { words, ...commit } = commitOf(content, entry, content === compared[0], request);
        yield { ...commit, ...files };
        made.push({ ...headOf(content.archive), notRead: entry?.notRead ?? [], subject: words.subject });
        before = content;
      } catch (error) {
        if (!isDamageError(error)) throw error;
        const problem = { code: "unreadable-record", message: error.message } as const;
        skipped.push({ archive: content.archive.name, problem });
        // The next commit also has this backup's changes, so the next comparison skips this backup.
        compared = compared.filter((each) => each !== content);
        differences = findDifferences(compared);
      }
    }
  }
}

function commitOf(
  { archive, entries }: BackupContent,
  entry: LogEntry | undefined,
  isFirst: boolean,
  { stack, describe }: CommitRequest,
): Pick<Commit, "at" | "message"> & { readonly words: CommitWords } {
  const words = describe(entry, entries.size, isFirst);
  const trailer = `${TRAILER}: ${stack}@${headOf(archive).time.replace(".000", "")}`;
  const message = `${[words.subject, words.body, trailer].filter((part) => part !== "").join("\n\n")}\n`;
  return { at: archive.at, message, words };
}

/** Keeps the old files of a kind if the backup lacks records of the kind. */
async function changedFiles(
  content: BackupContent,
  archives: OpenArchives,
  { filesOf }: CommitRequest,
): Promise<Pick<Commit, "replaced" | "files">> {
  const { kinds, source, filter } = content.manifest;
  const whole = allKinds.filter(({ name }) => filter === undefined && hasEveryRecord(kinds[name]));
  const records: StackRecord[] = [];
  for (const entry of content.entries.values()) records.push(await archives.read({ entry, content }));
  return { replaced: whole.map(({ name }) => name), files: filesOf(records, source.variant) };
}

const NO_CHANGE = { replaced: [], files: [] };

/** Returns Unix milliseconds; undefined for a folder without commits. */
function lastCommitted(trailers: readonly string[] | undefined, stack: string): number | undefined {
  if (trailers === undefined) return undefined;
  const backups = trailers.map((text) => {
    const at = text.lastIndexOf("@");
    return { stack: text.slice(0, at), at: Date.parse(text.slice(at + 1)) };
  });
  const times = backups.filter((backup) => backup.stack === stack && !Number.isNaN(backup.at)).map(({ at }) => at);
  if (times.length > 0) return times.reduce((newest, at) => Math.max(newest, at));
  const others = [...new Set(backups.map((backup) => backup.stack))].slice(0, 3);
  const what = others.length === 0 ? "no backup" : `the backups of ${others.join(", ")}, and none of ${stack}`;
  throw new StackferryError("usage", `the commits of this git repository hold ${what}`, {
    hint: "name a new or empty folder, or the one that has the history of this stack",
  });
}

/** Compares entries by identity, because `readContents` makes consecutive backups share equal entries. */
function isEqual(before: BackupContent, after: BackupContent): boolean {
  const isSame = [...after.entries].every(([key, entry]) => before.entries.get(key) === entry);
  const kindsOf = ({ manifest: { kinds, source } }: BackupContent): string => JSON.stringify([kinds, source.variant]);
  return isSame && before.entries.size === after.entries.size && kindsOf(before) === kindsOf(after);
}
