import { compactJson } from "../domain/canonical-json.ts";
import { StackferryError } from "../domain/errors.ts";
import { JOURNAL_FORMAT, JOURNAL_VERSION } from "../domain/journal.ts";
import type { Journal, JournalSubject } from "../domain/journal.ts";
import type { Clock } from "../domain/ports.ts";

/**
 * Ties a fresh journal to its import, or checks that one that was there belongs to it. Throws `journal` where it belongs to
 * another archive, stack or naming: going on with it would take another import's writes for this one's.
 */
export async function beginJournal(journal: Journal, subject: JournalSubject, clock: Clock): Promise<void> {
  const [first] = journal.entries;
  if (!first) {
    const at = new Date(clock.now()).toISOString();
    await journal.append({ type: "begin", at, format: JOURNAL_FORMAT, version: JOURNAL_VERSION, subject });
    return;
  }
  const other = first.type === "begin" ? differing(first.subject, subject) : "content";
  if (other === undefined) return;
  const message = `the journal ${journal.path ?? ""} belongs to an import with another ${other}`;
  throw new StackferryError("journal", message, {
    hint: "Name another file with --journal, or use the archive and target it belongs to.",
  });
}

function differing(theirs: JournalSubject, ours: JournalSubject): string | undefined {
  if (theirs.contentDigest !== ours.contentDigest) return "archive";
  if (compactJson({ ...theirs.target }) !== compactJson({ ...ours.target })) return "target";
  const sameNames = theirs.namePrefix === ours.namePrefix && compactJson(theirs.tags) === compactJson(ours.tags);
  return sameNames ? undefined : "--name-prefix or --tag";
}
