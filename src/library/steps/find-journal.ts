import { createHash } from "node:crypto";
import { homedir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { systemClock } from "../../client/clock.ts";
import { compactJson } from "../../core/json.ts";
import type { Warning } from "../../core/outcome.ts";
import type { ArchiveReader } from "../../core/ports.ts";
import type { StackIdentity, StackRecord } from "../../core/records/record.ts";
import type { Transforms } from "../../core/plan/plan.ts";
import type { JournalAccess } from "../../journal/seal.ts";
import { openFileJournal, readFileJournal, beginJournal } from "../../journal/file-journal.ts";
import { findUnfinishedImports, type UnfinishedImport } from "../../journal/unfinished-imports.ts";
import { memoryJournal, type Journal, type JournalEntry, type JournalSubject } from "../../core/plan/journal.ts";
import type { NamingOptions } from "../../matching/plan-options.ts";
import { digestRecord, recordsDigest } from "../../references/record-content.ts";

export interface JournaledImport {
  readonly reader: Pick<ArchiveReader, "summary">;
  readonly target: StackIdentity;
  readonly naming: NamingOptions;
  readonly transforms: Transforms | undefined;
  readonly fromFiles: boolean;
}

/** Returns the data that identify a journal's import. @param records all records of the archive, unchanged */
export function journalSubject(
  { reader, target, naming: { namePrefix, tags }, transforms, fromFiles }: JournaledImport,
  records: readonly StackRecord[],
): JournalSubject {
  const { contentDigest } = reader.summary;
  const digest = transforms && createHash("sha256").update(JSON.stringify(transforms)).digest("hex");
  return {
    contentDigest,
    // Code files are identified by their text, because the records that are made from the text also depend on the target.
    recordsDigest: fromFiles ? contentDigest : recordsDigest(records.map(digestRecord)),
    target,
    namePrefix,
    tags,
    ...(digest !== undefined && { transforms: digest }),
  };
}

export interface ImportJournal {
  /** Path of the journal; undefined for a journal in memory. */
  readonly path?: string;
  /**
   * Reads the entries of earlier runs.
   * @throws StackferryError `journal` if the journal belongs to another import, or may be forged
   */
  earlier(): Promise<readonly JournalEntry[]>;
  /** Finds unfinished imports of other contents; undefined if the user named the journal, or if the journal is in memory. */
  readonly findUnfinished?: () => Promise<readonly UnfinishedImport[]>;
  /** Opens the journal for a run that writes. @param state path of the state file that records what the run writes */
  open(state: string | undefined): Promise<Journal>;
}

export type FindJournal = (subject: JournalSubject) => ImportJournal;

interface JournalPlace {
  /** The journal's path, if the user gave one. */
  readonly path: string | undefined;
  /** Path prefix of the journal if no path is given. */
  readonly base: string;
  readonly access: JournalAccess;
}

/** The settings that decide whether a journal is trusted. */
export interface JournalTrustOptions {
  /** Accept a journal that comes from another machine, user or earlier version; default false. */
  readonly acceptForeignJournal?: boolean;
  /** Folder of the key that seals journals; default `~/.local/state/stackferry`. */
  readonly stateFolder?: string;
}

export function journalAccess({ acceptForeignJournal = false, stateFolder }: JournalTrustOptions): JournalAccess {
  return {
    trust: acceptForeignJournal,
    stateFolder: resolve(stateFolder ?? join(homedir(), ".local", "state", "stackferry")),
  };
}

/** Warns of a journal that is not sealed, because nobody can later tell it from a forged one. */
export function warnOfUnsealedJournal({ path, unsealed }: Journal): Warning[] {
  if (unsealed === undefined) return [];
  const message = `the journal ${path ?? ""} is not sealed, because ${unsealed}; to continue or undo this import, you will need --accept-foreign-journal`;
  return [{ code: "journal-unsealed", message }];
}

/**
 * Returns a function that finds the journal file of an import: the given path, or else a path next to the archive. The default path
 * is the same whenever the same records are imported into the same stack under the same names.
 */
export function journalFileFinder({ path: requestedPath, base, access }: JournalPlace): FindJournal {
  return (subject) => {
    const path = requestedPath === undefined ? `${resolve(base)}.${nameOf(subject)}.journal` : resolve(requestedPath);
    const findUnfinished = () => findUnfinishedImports({ path, base, subject }, access);
    return {
      path,
      ...(requestedPath === undefined && { findUnfinished }),
      async earlier() {
        const entries = (await readFileJournal(path, access)) ?? [];
        if (entries.length > 0) await beginJournal({ ...memoryJournal(entries), path }, subject, systemClock);
        return entries;
      },
      async open(state) {
        const journal = await openFileJournal(path, access);
        try {
          await beginJournal(journal, subject, systemClock, state && relative(dirname(path), state));
          return journal;
        } catch (error) {
          await journal[Symbol.asyncDispose]();
          throw error;
        }
      },
    };
  };
}

/** A journal in memory, for an import that nobody resumes or undoes. */
export const journalInMemory: FindJournal = () => ({ earlier: async () => [], open: async () => memoryJournal() });

function nameOf({ contentDigest: _files, ...same }: JournalSubject): string {
  const text = compactJson({ ...same, target: { ...same.target } });
  return createHash("sha256").update(text).digest("hex").slice(0, 8);
}
