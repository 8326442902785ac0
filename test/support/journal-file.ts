import { open, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { StackferryError } from "../../src/core/errors.ts";
import type { Journal, JournalEntry, JournalPair } from "../../src/core/plan/journal.ts";
import { openFileJournal, readFileJournal } from "../../src/journal/file-journal.ts";
import { temporaryFolder } from "./temporary-folder.ts";

export type { JournalEntry };
/** Opens a journal of `PAIR`. */
export const openJournal = (path: string): Promise<Journal> => openFileJournal(path, PAIR);
export const readJournal = readFileJournal;

/** Returns a path for a journal in a new folder. */
export function journalPath(): string {
  return join(temporaryFolder(), "j");
}

const at = "2026-01-01T00:00:00.000Z";

/** The pair of the journals that tests open. */
const PAIR: JournalPair = {
  source: { variant: "self-hosted", baseUrl: "http://from.test" },
  target: { variant: "self-hosted", baseUrl: "http://stack.test" },
};

/** The first line of a journal. */
export const headerEntry: JournalEntry = { type: "journal", format: "stackferry-journal", version: 1, ...PAIR };

/** The first entry of a run. */
export const beginEntry: JournalEntry = { type: "begin", at, run: 1 };

/** Makes the entry of a create that has begun. */
export function intentEntry(number: number, name = "One"): JournalEntry {
  return { type: "intent", at, key: `dashboards/${number}`, name, write: "create", content: "c" };
}

/** Returns the numbers of the runs in a journal, one for each begin of a run. */
export function runNumbers(entries: readonly Readonly<Record<string, unknown>>[]): unknown[] {
  return entries.flatMap(({ type, run }) => (type === "begin" ? [run] : []));
}

/** Returns the prototype of open files, so that a test can watch its methods or make them fail. */
export async function methodsOfFiles(): Promise<FileHandle> {
  const file = await open(import.meta.filename, "r");
  await file.close();
  return Object.getPrototypeOf(file) as FileHandle;
}

/** Makes the error of a journal that can no longer be written. */
export function journalFull(): StackferryError {
  return new StackferryError("journal", "the disk is full");
}

/** Makes the system's error for a full disk. */
export function fullDisk(): Error {
  return Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
}
