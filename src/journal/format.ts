import { StackferryError } from "../core/errors.ts";
import { JOURNAL_FORMAT, JOURNAL_VERSION, journalEntrySchema, type JournalEntry } from "../core/plan/journal.ts";
import { describeJsonFlaw, findJsonFlaw, recordBounds } from "../core/text/json-scan.ts";

export interface ParsedJournal {
  readonly entries: readonly JournalEntry[];
  readonly bytes: number;
}

/**
 * Ignores an incomplete last line: a process died while it wrote the line.
 * @throws StackferryError `journal`
 */
export function parseJournal(text: string, path: string): ParsedJournal {
  const whole = text.slice(0, text.lastIndexOf("\n") + 1);
  if (text !== "" && !HEADER.startsWith(text.slice(0, HEADER.length))) throw noJournalError(path);
  const lines = whole.split("\n").slice(0, -1);
  const entries = lines.map((line, index) => parseLine(line, `${path}, line ${index + 1}`));
  const [first] = entries;
  if (first && (first.type !== "journal" || first.version !== JOURNAL_VERSION)) throw noJournalError(path);
  return { entries, bytes: Buffer.byteLength(whole) };
}

/** A journal begins with this text, or with a part of it after a crash. */
const HEADER = `{"type":"journal","format":"${JOURNAL_FORMAT}"`;

function noJournalError(path: string): StackferryError {
  const message = `${path} is no journal, or a journal of another version of stackferry`;
  return new StackferryError("journal", message, { hint: "Move the file away; it is left as it is." });
}

/** A line can contain a record at `recordBounds`, its dependents, and a few members. */
const LINE_BOUNDS = { maxValues: recordBounds.maxValues * 4, maxDepth: recordBounds.maxDepth + 6 };

function parseLine(line: string, where: string): JournalEntry {
  let value: unknown;
  const flaw = findJsonFlaw(line, LINE_BOUNDS);
  if (flaw === "depth" || flaw === "values") throw damagedJournalError(where, describeJsonFlaw(flaw, LINE_BOUNDS));
  try {
    value = JSON.parse(line);
  } catch (cause) {
    throw damagedJournalError(where, "is not JSON", cause);
  }
  const { data, error } = journalEntrySchema.safeParse(value);
  if (data !== undefined) return data;
  const [issue] = error.issues;
  throw damagedJournalError(where, `${issue?.path.join(".") || "entry"}: ${issue?.message ?? "not an entry"}`);
}

function damagedJournalError(where: string, problem: string, cause?: unknown): StackferryError {
  const hint = "The file is damaged, or somebody edited it. Put the unedited file back, or move it away.";
  return new StackferryError("journal", `${where}: ${problem}`, { cause, hint });
}
