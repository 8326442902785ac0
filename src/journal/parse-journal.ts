import { StackferryError } from "../domain/errors.ts";
import { JOURNAL_VERSION } from "../domain/journal.ts";
import type { JournalEntry } from "../domain/journal.ts";
import { journalEntrySchema } from "./journal-schema.ts";

/** The entries of a journal, and how much of the file they take up: what follows is a line that was cut off. */
export interface ParsedJournal {
  readonly entries: readonly JournalEntry[];
  /** Bytes of whole lines. */
  readonly bytes: number;
}

/**
 * Reads a journal's text. A last line without an end was being written when the process died: it is left out, as its
 * write had not begun (an intent is stored before anything is sent) or is still known as open.
 */
export function parseJournal(text: string, path: string): ParsedJournal {
  const whole = text.slice(0, text.lastIndexOf("\n") + 1);
  const lines = whole.split("\n").slice(0, -1);
  const entries = lines.map((line, index) => parseLine(line, `${path}, line ${index + 1}`));
  const [first] = entries;
  if (first && (first.type !== "begin" || first.version !== JOURNAL_VERSION)) {
    const message = `${path} is not a journal that this version reads`;
    throw new StackferryError("journal", message, { hint: "Name another file with --journal." });
  }
  return { entries, bytes: Buffer.byteLength(whole) };
}

function parseLine(line: string, where: string): JournalEntry {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (cause) {
    throw damaged(where, "is not JSON", cause);
  }
  if (isEntry(value)) return value;
  const [issue] = journalEntrySchema.safeParse(value).error?.issues ?? [];
  throw damaged(where, `${issue?.path.join(".") || "entry"}: ${issue?.message ?? "not an entry"}`, undefined);
}

function isEntry(value: unknown): value is JournalEntry {
  return journalEntrySchema.safeParse(value).success;
}

function damaged(where: string, problem: string, cause: unknown): StackferryError {
  const hint =
    "It is not a stackferry journal, or was edited. Name another file with --journal, or put the right one back.";
  return new StackferryError("journal", `${where}: ${problem}`, { cause, hint });
}
