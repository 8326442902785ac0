import type { JsonObject } from "../json.ts";
import type { RecordKey, StackIdentity } from "../records/record.ts";

/** The `format` of the first line of every journal. */
export const JOURNAL_FORMAT = "stackferry-journal";

/** The journal version that this program writes, and the only one it reads. */
export const JOURNAL_VERSION = 1;

/** What a journal belongs to: one archive's content, onto one stack, under one set of names. */
export interface JournalSubject {
  /** Of the archive's files, for people. */
  readonly contentDigest: string;
  /** Of what the archive's records say, but for what the server owns; absent in journals of earlier releases. */
  readonly recordsDigest?: string;
  readonly target: StackIdentity;
  readonly namePrefix?: string;
  readonly tags: readonly string[];
  /** Digest of the target's transforms; absent where it has none. */
  readonly transforms?: string;
}

/**
 * A write to the target. `link` adds the links that had to wait; `remove` deletes what the source no longer has, its `key` is of the
 * target's id; `delete` and `restore` are a rollback's.
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
      /** Path of the memory that notes the import's writes, seen from the journal's folder: a rollback has to tell it. */
      readonly state?: string;
    }
  | {
      readonly type: "intent";
      readonly at: string;
      readonly key: RecordKey;
      readonly name: string;
      readonly write: JournalWrite;
      readonly targetId?: string;
      /** What an update replaces or a removal deletes, so that a rollback can put it back. */
      readonly previous?: JsonObject;
      /** Digest of what a create sends, so that its record can be recognised if the response is lost. */
      readonly content?: string;
    }
  | {
      readonly type: "done";
      readonly at: string;
      readonly key: RecordKey;
      readonly write: JournalWrite;
      readonly targetId: string;
      /** Digest of what the target stored, in the form in which records are compared: tells a later change by somebody else. */
      readonly content: string;
    }
  /** The write was surely not carried out. */
  | {
      readonly type: "refused";
      readonly at: string;
      readonly key: RecordKey;
      readonly write: JournalWrite;
      readonly code: string;
    }
  /** The server has deleted a record that the run left alone. `key` is of the target's id. */
  | {
      readonly type: "vanished";
      readonly at: string;
      readonly key: RecordKey;
      readonly name: string;
      readonly body: JsonObject;
    }
  /** The run was stopped before it could look whether the target still has this record; `found` says that it has. */
  | {
      readonly type: "endangered";
      readonly at: string;
      readonly key: RecordKey;
      readonly name: string;
      readonly body: JsonObject;
    }
  | { readonly type: "found"; readonly at: string; readonly key: RecordKey }
  | { readonly type: "end"; readonly at: string; readonly result: "complete" | "incomplete" | "stopped" }
  /** A rollback of these runs begins. */
  | { readonly type: "rollback"; readonly at: string; readonly undoes: readonly number[] };

/** An append-only record of an import. */
export interface Journal extends AsyncDisposable {
  /** Where it is, for messages; undefined for one that is only in memory. */
  readonly path?: string;
  /** Why nothing proves later that this machine has written it; undefined where its lines are sealed, or it is in memory. */
  readonly unsealed?: string;
  /** What was in it when it was opened. */
  readonly entries: readonly JournalEntry[];
  /** Resolves once the entry is safely stored. Throws `journal` when it cannot be: nothing may be written then. */
  append(entry: JournalEntry): Promise<void>;
}
