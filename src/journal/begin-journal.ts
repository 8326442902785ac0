import { StackferryError } from "../core/errors.ts";
import type { Journal, JournalSubject } from "../core/plan/journal.ts";
import { JOURNAL_FORMAT, JOURNAL_VERSION } from "../core/plan/journal.ts";
import { compactJson } from "../core/json.ts";
import type { Clock } from "../core/ports.ts";

/**
 * Binds a new journal to its import, or checks that an existing one belongs to it. Throws `journal` if it belongs to another
 * archive, stack or naming: the run would take another import's writes for its own.
 * @param state path of the state that records the import's writes, relative to the journal's folder
 */
export async function beginJournal(
  journal: Journal,
  subject: JournalSubject,
  clock: Clock,
  state?: string,
): Promise<void> {
  const [first] = journal.entries;
  if (!first) {
    const at = new Date(clock.now()).toISOString();
    const stateMember = state !== undefined && { state };
    await journal.append({
      type: "begin",
      at,
      format: JOURNAL_FORMAT,
      version: JOURNAL_VERSION,
      subject,
      ...stateMember,
    });
    return;
  }
  const other = first.type === "begin" ? differingMember(first.subject, subject) : "content";
  if (other === undefined) return;
  const path = journal.path ?? "";
  if (other === "archive") {
    const message = `the journal ${path} belongs to an import of another archive, or of files that have changed since`;
    const hint =
      "Leave out --journal, or name a new file: each archive, and each version of files, has its own journal. Keep the old one: `rollback` needs it to undo that import.";
    throw new StackferryError("journal", message, { hint });
  }
  throw new StackferryError("journal", `the journal ${path} belongs to an import with another ${other}`, {
    hint: "Name another file with --journal, or use the archive and target it belongs to.",
  });
}

function differingMember(theirs: JournalSubject, ours: JournalSubject): string | undefined {
  const isSameArchive =
    theirs.recordsDigest === undefined
      ? theirs.contentDigest === ours.contentDigest
      : theirs.recordsDigest === ours.recordsDigest;
  if (!isSameArchive) return "archive";
  if (compactJson({ ...theirs.target }) !== compactJson({ ...ours.target })) return "target";
  const sameNames = theirs.namePrefix === ours.namePrefix && compactJson(theirs.tags) === compactJson(ours.tags);
  if (!sameNames) return "--name-prefix or --tag";
  return theirs.transforms === ours.transforms ? undefined : "set of transforms";
}
