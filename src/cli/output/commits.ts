import type { LogEntry } from "../../core/diff.ts";
import { fitText } from "../../core/text/fit-width.ts";
import { pluralize } from "../../core/text/format.ts";
import { printableText } from "../../core/text/printable.ts";
import type { CommitWords } from "../../history/commit-backups.ts";
import { changedRecordLines } from "../../report/view/backup-changes.ts";
import { changeCounts, notesOn } from "../../report/view/diff.ts";

export function commitsText(folder: string, commits: readonly Pick<LogEntry, "time">[]): string {
  const [first] = commits;
  const last = commits.at(-1);
  if (first === undefined || last === undefined) return `${printableText(folder)} has every backup: no new commit\n`;
  const [from, to] = [first, last].map(({ time }) => time.replace(".000", ""));
  const which = from === to ? from : `${from} to ${to}`;
  return `${pluralize(commits.length, "commit")} added to ${printableText(folder)}: ${which}\n`;
}

/** Maximum width of a subject: `git log --oneline` and most viewers cut longer ones. */
const SUBJECT_WIDTH = 72;

/** Says what changed with a backup, as `log` and `backup` say it: one change in the subject, several below their counts. */
export function commitWords(entry: LogEntry | undefined, records: number, isFirst: boolean): CommitWords {
  if (isFirst) return { subject: pluralize(records, "record"), body: "" };
  if (entry === undefined) return { subject: "Nothing changed", body: "" };
  const lines = changedRecordLines(entry.changes).map((line) => printableText(line));
  const notes = notesOn(entry);
  const title = changeCounts(entry.changes);
  const [line = title] = lines;
  const subject = lines.length > 1 ? title : fitText(line, SUBJECT_WIDTH);
  const body = [...(subject === line ? [] : lines), ...notes.map(({ text }) => printableText(text))];
  return { subject, body: body.join("\n") };
}
