import type { JsonObject } from "../json.ts";
import type { RecordKey, StackIdentity } from "../records/record.ts";

/** The `format` of the first line of every journal. */
export const JOURNAL_FORMAT = "stackferry-journal";

/** The journal version that this program writes, and the only one it reads. */
export const JOURNAL_VERSION = 1;

/** The import that a journal belongs to: the content of one archive, the target stack, and the naming options. */
export interface JournalSubject {
  /** Digest of the archive's files, for people. */
  readonly contentDigest: string;
  /** Digest of the archive's records without the members that the server owns; absent in journals of earlier releases. */
  readonly recordsDigest?: string;
  readonly target: StackIdentity;
  readonly namePrefix?: string;
  readonly tags: readonly string[];
  /** Digest of the target's transforms; absent if the target has none. */
  readonly transforms?: string;
}

/**
 * `link` adds deferred links. `remove` deletes for `--mirror`; its `key` has the target's id. `delete` and `restore` are the writes of
 * a rollback.
 */
export type JournalWrite = "create" | "update" | "link" | "remove" | "delete" | "restore";

/** One line of a journal. Times are ISO 8601, UTC. No line holds a credential. */
export type JournalEntry =
  | {
      readonly type: "begin";
      readonly at: string;
      readonly format: typeof JOURNAL_FORMAT;
      readonly version: number;
      readonly subject: JournalSubject;
      /** Path of the import's state file, relative to the journal's folder. A rollback has to update the file. */
      readonly state?: string;
    }
  | {
      readonly type: "intent";
      readonly at: string;
      readonly key: RecordKey;
      readonly name: string;
      readonly write: JournalWrite;
      readonly targetId?: string;
      /** The body that an update replaces or a removal deletes, so that a rollback can restore it. */
      readonly previous?: JsonObject;
      /** Digest of the body that a create sends, so that its record can be recognised if the response is lost. */
      readonly content?: string;
      /** Ids that the target gave to records of the same name before the run: none of them is the result of the create. */
      readonly others?: readonly string[];
      /**
       * True if the update takes only parts of the archive's record, and leaves other parts as somebody made them on the target.
       */
      readonly inParts?: boolean;
      /** Names of children whose settings the update may delete, because no answer shows them: no rollback brings them back. */
      readonly mayLose?: readonly string[];
    }
  | {
      readonly type: "done";
      readonly at: string;
      readonly key: RecordKey;
      readonly write: JournalWrite;
      readonly targetId: string;
      /** Digest of the stored body, in the form in which records are compared. A rollback uses it to detect later edits. */
      readonly content: string;
    }
  /** The target refused the write, so it was certainly not carried out. */
  | {
      readonly type: "refused";
      readonly at: string;
      readonly key: RecordKey;
      readonly write: JournalWrite;
      readonly code: string;
    }
  /**
   * `cascade-loss`: the server has deleted a record that the run did not touch. `at-risk`: the run was stopped before it could check
   * whether the target still has the record; a later `found` says that it has. `key` has the target's id.
   */
  | {
      readonly type: "cascade-loss" | "at-risk";
      readonly at: string;
      readonly key: RecordKey;
      readonly name: string;
      readonly body: JsonObject;
    }
  | { readonly type: "found"; readonly at: string; readonly key: RecordKey }
  | { readonly type: "end"; readonly at: string; readonly result: "complete" | "incomplete" | "stopped" }
  /** The beginning of a rollback. `undoes`: the numbers of the runs to undo. */
  | { readonly type: "rollback"; readonly at: string; readonly undoes: readonly number[] };

/** The entries of one type. */
export type EntryOf<Type extends JournalEntry["type"]> = Extract<JournalEntry, { type: Type }>;

/** An append-only record of an import. */
export interface Journal extends AsyncDisposable {
  /** The journal's path, for messages; undefined for a journal in memory. */
  readonly path?: string;
  /**
   * The reason why the journal is not sealed; undefined if the journal is sealed, or only in memory. Without a seal, nobody can
   * prove later that this machine wrote the journal.
   */
  readonly unsealed?: string;
  /** The entries at the time when the journal was opened. */
  readonly entries: readonly JournalEntry[];
  /** Resolves once the entry is on disk. Throws `journal` if that fails: then nothing may be written to the target. */
  append(entry: JournalEntry): Promise<void>;
}

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
