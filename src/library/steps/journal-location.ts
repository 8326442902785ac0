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

/** Identifies the import that a journal belongs to. @param records all records of the archive, unchanged */
function journalSubject(
  { reader, client, options, transforms, fromFiles = false }: JournaledImport,
  records: readonly StackRecord[],
): JournalSubject {
  const { namePrefix, tags } = options.labels;
  const names = { namePrefix, tags };
  const digest = transforms && createHash("sha256").update(JSON.stringify(transforms)).digest("hex");
  return {
    contentDigest: reader.summary.contentDigest,
    // Code files are converted to records in the target's current form, so only their own text identifies a version.
    recordsDigest: fromFiles ? reader.summary.contentDigest : recordsDigest(records.map(digestRecord)),
    target: client.identity,
    ...names,
    ...(digest !== undefined && { transforms: digest }),
  };
}

/** The settings that decide a journal's path. */
export interface JournalPlace {
  /** The journal's path, if the user gave one. */
  readonly named: string | undefined;
  /** Path prefix of the journal if no path is given. */
  readonly base: string;
  readonly cwd: string;
  readonly access: JournalAccess;
}

/** The import that a journal belongs to. */
interface JournaledImport {
  readonly reader: Pick<ArchiveReader, "summary">;
  readonly client: Pick<StackClient, "identity">;
  readonly options: { readonly labels: Labels };
  readonly transforms?: Transforms | undefined;
  /** The records come from code files. */
  readonly fromFiles?: boolean | undefined;
}

/** A journal's path and the import that it belongs to. */
export interface JournalLocation {
  readonly path: string;
  readonly subject: JournalSubject;
  readonly access: JournalAccess;
}

/** The conditions for using a journal. */
export interface JournalTrust {
  /** Accept a journal that comes from another machine, user or earlier version; default false. */
  readonly trustJournal?: boolean;
  /** Folder of the key that seals journals; default `~/.local/state/stackferry`. */
  readonly stateFolder?: string;
}

/** Fills in the defaults. */
export function journalAccess({ trustJournal = false, stateFolder }: JournalTrust): JournalAccess {
  return { trust: trustJournal, stateFolder: resolve(stateFolder ?? join(homedir(), ".local", "state", "stackferry")) };
}

/** Warns that a journal is not sealed, so that it cannot be told from a forged one later; empty if it is sealed. */
export function unsealedWarnings({ path, unsealed }: Journal): Warning[] {
  if (unsealed === undefined) return [];
  const message = `the journal ${path ?? ""} is not sealed, because ${unsealed}; to continue or undo this import, you will need --trust-journal`;
  return [{ code: "journal-unsealed", message }];
}

/**
 * The journal of an import: the given path, else one next to the archive. That name is the same whenever the same records are
 * imported into the same stack under the same names.
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

/** The journal entries of earlier runs. Throws if the file belongs to another import, or if its origin cannot be proved. */
export async function earlierEntries({ path, subject, access }: JournalLocation): Promise<readonly JournalEntry[]> {
  const entries = (await readFileJournal(path, access)) ?? [];
  if (entries.length > 0) await beginJournal({ ...memoryJournal(entries), path }, subject, systemClock);
  return entries;
}

/**
 * Opens the journal of a run that writes; a run that has nothing to write needs no file.
 * @param known number of entries at the time of the plan. If there are more, another run has finished since, and carrying out the
 * plan would repeat its work (`locked`).
 * @param state path of the state file that records what the run writes
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
