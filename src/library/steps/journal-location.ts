import { createHash } from "node:crypto";
import { homedir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { systemClock } from "../../client/clock.ts";
import { StackferryError } from "../../core/errors.ts";
import type { Journal, JournalEntry, JournalSubject } from "../../core/plan/journal.ts";
import { compactJson } from "../../core/json.ts";
import type { Warning } from "../../core/outcome.ts";
import type { ArchiveReader, StackClient } from "../../core/ports.ts";
import type { StackRecord } from "../../core/records/record.ts";
import type { Transforms } from "../../core/plan/transforms.ts";
import type { JournalAccess } from "../../journal/access.ts";
import { openFileJournal, readFileJournal } from "../../journal/file-journal.ts";
import { memoryJournal } from "../../journal/memory-journal.ts";
import { beginJournal } from "../../journal/begin.ts";
import type { Labels } from "../../matching/labels.ts";
import { digestRecord, recordsDigest } from "../../references/records-digest.ts";

/** What the journal of an import belongs to. @param records all of the archive, as it has them */
function journalSubject(
  { reader, client, options, transforms, fromFiles = false }: JournaledImport,
  records: readonly StackRecord[],
): JournalSubject {
  const { namePrefix, tags } = options.labels;
  const names = { namePrefix, tags };
  const digest = transforms && createHash("sha256").update(JSON.stringify(transforms)).digest("hex");
  return {
    contentDigest: reader.summary.contentDigest,
    // Files become records in the form of what the target has by then, so only their own text tells one version from another.
    recordsDigest: fromFiles ? reader.summary.contentDigest : recordsDigest(records.map(digestRecord)),
    target: client.identity,
    ...names,
    ...(digest !== undefined && { transforms: digest }),
  };
}

/** What is asked of the place of a journal. */
export interface JournalPlace {
  /** The path of the journal that somebody named. */
  readonly named: string | undefined;
  /** The journal's name begins with this path where none is named. */
  readonly base: string;
  readonly cwd: string;
  readonly access: JournalAccess;
}

/** The import that a journal is of. */
interface JournaledImport {
  readonly reader: Pick<ArchiveReader, "summary">;
  readonly client: Pick<StackClient, "identity">;
  readonly options: { readonly labels: Labels };
  readonly transforms?: Transforms | undefined;
  /** The records are of files that people write. */
  readonly fromFiles?: boolean | undefined;
}

/** Where an import's journal is and what it belongs to. */
export interface JournalLocation {
  readonly path: string;
  readonly subject: JournalSubject;
  readonly access: JournalAccess;
}

/** How journals may be used. */
export interface JournalTrust {
  /** Take a journal that was moved from another machine or user, or is of an earlier version; default false. */
  readonly trustJournal?: boolean;
  /** Folder for the key that journals are sealed with; default `~/.local/state/stackferry`. */
  readonly stateFolder?: string;
}

/** Fills in the defaults. */
export function journalAccess({ trustJournal = false, stateFolder }: JournalTrust): JournalAccess {
  return { trust: trustJournal, stateFolder: resolve(stateFolder ?? join(homedir(), ".local", "state", "stackferry")) };
}

/** The warning that a journal cannot be told from a forged one later; none where its lines are sealed. */
export function unsealedWarnings({ path, unsealed }: Journal): Warning[] {
  if (unsealed === undefined) return [];
  const message = `the journal ${path ?? ""} is not sealed, because ${unsealed}; to continue or undo this import, you will need --trust-journal`;
  return [{ code: "journal-unsealed", message }];
}

/**
 * The journal that belongs to an import: the one that was named, else next to the archive, under a name that is the same
 * whenever the same records go onto the same stack under the same names.
 */
export function journalLocation(
  { named, base, cwd, access }: JournalPlace,
  job: JournaledImport,
  records: readonly StackRecord[],
): JournalLocation {
  const subject = journalSubject(job, records);
  if (named !== undefined) return { path: resolve(cwd, named), subject, access };
  const { contentDigest: _files, ...same } = subject;
  const hash = createHash("sha256")
    .update(compactJson({ ...same, target: { ...same.target } }))
    .digest("hex");
  return { path: `${resolve(cwd, base)}.${hash.slice(0, 8)}.journal`, subject, access };
}

/** What earlier runs have written down; throws where the file belongs to another import, or nothing proves who made it. */
export async function earlierEntries({ path, subject, access }: JournalLocation): Promise<readonly JournalEntry[]> {
  const entries = (await readFileJournal(path, access)) ?? [];
  if (entries.length > 0) await beginJournal({ ...memoryJournal(entries), path }, subject, systemClock);
  return entries;
}

/**
 * Opens the journal for a run that writes; one that has nothing to write needs no file.
 * @param known how many entries the plan rests on. Where there are more, another run has come and gone since, and carrying
 * out the plan would do its work a second time (`locked`).
 * @param state path of the memory that notes what the run writes
 */
export async function openImportJournal(
  { path, subject, access }: JournalLocation,
  writes: boolean,
  known: number,
  state?: string,
): Promise<Journal> {
  const journal = writes ? await openFileJournal(path, access) : memoryJournal();
  try {
    if (writes && journal.entries.length !== known) throw overtaken(path);
    const noted = state === undefined ? undefined : relative(dirname(path), state);
    await beginJournal(journal, subject, systemClock, noted);
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
