import type { RecordKey, StackIdentity } from "../records/record.ts";
import type { IdSpace } from "../resource-kind.ts";

/** A body without its values: a digest of the whole, and one of each member and child, so that what has changed can be named. */
export interface ContentDigests {
  readonly whole: string;
  /** By member (`tags`), or by member and the target's id of the child (`tiles/65a…`). */
  readonly members: Readonly<Record<string, string>>;
}

/** What became of one record of the source in earlier imports onto the same target. */
export interface RememberedRecord {
  readonly targetId: string;
  /** That it had at the last import. */
  readonly name: string;
  /** That it had at the source, where transforms call it otherwise. */
  readonly sourceName?: string;
  /** An import has created or updated it; otherwise it was there, and nothing had to be written. */
  readonly written: boolean;
  /** What the source wanted it to be. Absent where the last import could not finish it, and of what is only looked up. */
  readonly wanted?: ContentDigests;
  /** What the target had then. */
  readonly stored?: ContentDigests;
  /** Ids of children, by space: the source's → the target's. */
  readonly children?: Readonly<Record<IdSpace, Readonly<Record<string, string>>>>;
}

/** What is remembered of one pair of source and target. The keys are of what a record of the source is known by. */
export type Memory = ReadonlyMap<RecordKey, RememberedRecord>;

/** Whose memory it is: of a stack's records or a folder's files, onto one stack, under one prefix of names. */
export interface MemorySubject {
  /** A folder or file, seen from the folder of the memory's own file. */
  readonly source: StackIdentity | { readonly files: string };
  readonly target: StackIdentity;
  readonly namePrefix?: string;
}

/** What changed of a record since the last import: members by name, children by noun and name. */
export interface ChangedSince {
  readonly source: readonly string[];
  readonly target: readonly string[];
}
