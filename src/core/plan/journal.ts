import type { JsonObject } from "../json.ts";
import type { RecordKey, StackIdentity } from "../records/record.ts";
import type { Base, ChildPairs } from "./base.ts";

/** The `format` of the first line of every journal. */
export const JOURNAL_FORMAT = "stackferry-journal";

/** The journal version that this program writes, and the only one it reads. */
export const JOURNAL_VERSION = 1;

/** The source and the target of a journal. */
export interface JournalPair {
  /** A stack, or the path of code files relative to the journal's folder. */
  readonly source: StackIdentity | { readonly files: string };
  readonly target: StackIdentity;
  readonly namePrefix?: string | undefined;
}

/** `link` adds deferred links. */
export type JournalWrite = "create" | "update" | "link" | "delete";

/** The digest of one part where both sides are equal, or the digests of what was desired and of what the target stored. */
export type SettledPart = string | readonly [desired: string, stored: string];

/** The parts and pairs of a record that a write, or a look, has settled. */
export interface Settled {
  /** By part; `null` if neither side has the part any more. */
  readonly parts: Readonly<Record<string, SettledPart | null>>;
  /** Parts that were found equal, and that the run did not write. */
  readonly equal?: Readonly<Record<string, SettledPart>> | undefined;
  /** Whether every part is settled now; absent if the write or the look has not changed that. */
  readonly whole?: boolean | undefined;
  /** True if nothing that was known of the parts before counts any more. */
  readonly forgets?: true | undefined;
  readonly children?: ChildPairs | undefined;
  /** The record's name at the source, if transforms rename it. */
  readonly sourceName?: string | undefined;
  /** True if links are still to be set. */
  readonly lacksLinks?: true | undefined;
}

/** The redacted body of a record that a write replaces or deletes. */
export interface Image {
  readonly key: RecordKey;
  readonly name: string;
  readonly body: JsonObject;
  /** Digest of the content as it was, with its secrets. */
  readonly digest: string;
}

/** One line of a journal. Times are ISO 8601, UTC. No line holds a credential. */
export type JournalEntry =
  | ({ readonly type: "journal"; readonly format: typeof JOURNAL_FORMAT; readonly version: number } & JournalPair)
  | {
      readonly type: "begin";
      readonly at: string;
      readonly run: number;
      /** When the archive was exported; absent for files. */
      readonly archived?: string | undefined;
      /** The archive's file name, or the folder of the files, for people. */
      readonly from?: string | undefined;
      /** The run that this run undoes. */
      readonly undoes?: number | undefined;
      /** The digest of the approved plan that the run carries out (`--plan`). */
      readonly plan?: string | undefined;
      /** The digests of the writes of that plan. */
      readonly writes?: readonly string[] | undefined;
    }
  | {
      readonly type: "intent";
      readonly at: string;
      readonly key: RecordKey;
      readonly name: string;
      readonly write: JournalWrite;
      readonly targetId?: string | undefined;
      /** Digest of the body that is sent; absent for a delete. */
      readonly content?: string | undefined;
      /** The record that an update or a delete replaces. */
      readonly image?: Image | undefined;
      /**
       * For a create or a delete: ids of the target's records of the same name before the run. None of them is the result of the
       * create, or what somebody has made again after the delete.
       */
      readonly namesakes?: readonly string[] | undefined;
      /** For a create: the target's records on which the record lives, as an alert on its dashboard. */
      readonly hosts?: readonly RecordKey[] | undefined;
      /** For a create: true if a later write adds links. */
      readonly lacksLinks?: true | undefined;
      /** For an update: the parts that it leaves as they are on the target. */
      readonly kept?: readonly string[] | undefined;
      /** For an update: the records that the server may delete with it. */
      readonly dependents?: readonly Image[] | undefined;
      /** Names of children whose settings the update may delete, because no answer shows them: no rollback brings them back. */
      readonly mayLose?: readonly string[] | undefined;
    }
  | ({
      readonly type: "done";
      readonly at: string;
      readonly key: RecordKey;
      readonly write: JournalWrite;
      readonly targetId: string;
      /** Digest of the whole record as the target stored it; empty after a delete. */
      readonly content: string;
    } & Partial<Settled>)
  | ({ readonly type: "seen"; readonly key: RecordKey; readonly name: string; readonly targetId: string } & Settled)
  /** The target refused the write, so it was certainly not carried out. */
  | {
      readonly type: "refused";
      readonly at: string;
      readonly key: RecordKey;
      readonly write: JournalWrite;
      readonly code: string;
    }
  | { readonly type: "end"; readonly at: string; readonly result: "complete" | "incomplete" }
  /** A compacted journal begins with these lines: the bases that the runs left which it no longer has. */
  | { readonly type: "base"; readonly key: RecordKey; readonly base: Base; readonly lastWrite?: string | undefined };

/** The entries of one type. */
export type EntryOf<Type extends JournalEntry["type"]> = Extract<JournalEntry, { type: Type }>;

/** An append-only record of all runs from one source to one target. */
export interface Journal extends AsyncDisposable {
  /** The journal's path, for messages; undefined for a journal in memory. */
  readonly path?: string;
  /** The entries at the time when the journal was opened. */
  readonly entries: readonly JournalEntry[];
  /** Resolves once the entry is on disk. Throws `journal` if that fails: then nothing may be written to the target. */
  append(entry: JournalEntry): Promise<void>;
}

/** A journal in memory only, for tests, and for imports that nobody resumes or undoes. */
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
