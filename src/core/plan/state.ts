import type { RecordKey, StackIdentity } from "../records/record.ts";
import type { IdSpace } from "../resource-kind.ts";

/** Digests of a body, and of each member and child. They tell which member changed, without storing its value. */
export interface ContentDigests {
  readonly whole: string;
  /** The digests by member (`tags`), or by member and the child's id on the target (`tiles/65a…`). */
  readonly members: Readonly<Record<string, string>>;
}

/**
 * Digests from before the record's last write. If that write is rolled back, the next import compares the record with these
 * digests.
 */
export interface FormerDigests {
  readonly sent: ContentDigests;
  readonly stored: ContentDigests;
  /** Digest of the content that the write stored. */
  readonly replacedBy: string;
}

/** The state of one record of the source after earlier imports to the same target. */
export interface RecordState {
  readonly targetId: string;
  /** The record's name on the target at the last import. */
  readonly name: string;
  /** The record's name at the source, if transforms rename it. */
  readonly sourceName?: string;
  /** True if an import created or updated the record. False if the target already had an equal record. */
  readonly written: boolean;
  /**
   * The content that the last import sent. Equal to `stored` if an interrupted run may not have finished the record. Absent if the
   * content is unknown, and for kinds that are only matched.
   */
  readonly sent?: ContentDigests;
  /** The content that the target had after the last import. */
  readonly stored?: ContentDigests;
  /** Digest of what the target stored at the last write, even if the write took only some parts or was a rollback's. */
  readonly lastWrite?: string;
  /** The digests before the last write; absent if they are not known, or if that write created the record. */
  readonly former?: FormerDigests;
  /** Ids of children, by space: source id → target id. */
  readonly children?: Readonly<Record<IdSpace, Readonly<Record<string, string>>>>;
}

/** The part of a record's state that names its counterpart and the counterparts of its children. */
export type RecordCounterparts = Pick<RecordState, "targetId" | "children">;

/** The records of one pair of source and target, by the key of the source's record. */
export type StateRecords = ReadonlyMap<RecordKey, RecordState>;

/** The imports of a state file: from one source (a stack or a folder of files) to one target with one name prefix. */
export interface StateSubject {
  /** A folder or file, relative to the folder of the state's own file. */
  readonly source: StackIdentity | { readonly files: string };
  readonly target: StackIdentity;
  readonly namePrefix?: string;
}

/** The changes in a record since the last import: members by name, children by noun and name. */
export interface ChangesSinceImport {
  readonly source: readonly string[];
  readonly target: readonly string[];
}
