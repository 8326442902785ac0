import type { Journal, JournalEntry } from "../core/plan/journal.ts";

/** A journal in memory only, for dry runs and tests. */
export function memoryJournal(
  before: readonly JournalEntry[] = [],
): Journal & { readonly appended: readonly JournalEntry[] } {
  const appended: JournalEntry[] = [];
  return {
    entries: before,
    appended,
    append: async (entry) => {
      appended.push(entry);
    },
    [Symbol.asyncDispose]: async () => {},
  };
}
