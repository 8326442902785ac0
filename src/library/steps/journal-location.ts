import { createHash } from "node:crypto";
import { resolve } from "node:path";
import { systemClock } from "../../client/clock.ts";
import { StackferryError } from "../../core/errors.ts";
import type { Journal, JournalEntry, JournalSubject } from "../../core/journal.ts";
import { compactJson } from "../../core/json.ts";
import { openFileJournal, readFileJournal } from "../../journal/file-journal.ts";
import { memoryJournal } from "../../journal/memory-journal.ts";
import { beginJournal } from "../../journal/state.ts";

/** Where an import's journal is and what it belongs to. */
export interface JournalLocation {
  readonly path: string;
  readonly subject: JournalSubject;
}

/**
 * The journal that belongs to an import: the one that was named, else next to the archive, under a name that is the same
 * whenever the same archive goes onto the same stack under the same names.
 */
export function journalLocation(
  named: string | undefined,
  archive: string,
  cwd: string,
  subject: JournalSubject,
): JournalLocation {
  if (named !== undefined) return { path: resolve(cwd, named), subject };
  const hash = createHash("sha256")
    .update(compactJson({ ...subject, target: { ...subject.target } }))
    .digest("hex");
  return { path: `${resolve(cwd, archive)}.${hash.slice(0, 8)}.journal`, subject };
}

/** What earlier runs have written down; throws where the file belongs to another import. */
export async function earlierEntries({ path, subject }: JournalLocation): Promise<readonly JournalEntry[]> {
  const entries = (await readFileJournal(path)) ?? [];
  if (entries.length > 0) await beginJournal({ ...memoryJournal(entries), path }, subject, systemClock);
  return entries;
}

/**
 * Opens the journal for a run that writes; one that has nothing to write needs no file.
 * @param known how many entries the plan rests on. Where there are more, another run has come and gone since, and carrying
 * out the plan would do its work a second time (`locked`).
 */
export async function openImportJournal(
  { path, subject }: JournalLocation,
  writes: boolean,
  known: number,
): Promise<Journal> {
  const journal = writes ? await openFileJournal(path) : memoryJournal();
  try {
    if (writes && journal.entries.length !== known) throw overtaken(path);
    await beginJournal(journal, subject, systemClock);
    return journal;
  } catch (error) {
    await journal[Symbol.asyncDispose]();
    throw error;
  }
}

function overtaken(path: string): StackferryError {
  const message = `another run has worked with the journal ${path} since the plan was made`;
  return new StackferryError("locked", message, {
    hint: "Run the same command again: it plans with what is there now.",
  });
}
