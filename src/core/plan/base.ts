import type { RecordKey } from "../records/record.ts";
import type { IdSpace } from "../resource-kind.ts";

/** Digests of one part of a record (a tile, a filter, a member) when it was last settled. An empty digest: that side lacked it. */
export interface PartBase {
  /** Digest of the part that the source's record asked for, in the target's words. */
  readonly desired: string;
  readonly stored: string;
  /** Whether an import wrote the part; false if it was found equal on both sides. */
  readonly written: boolean;
  /** When the archive was exported with which the part was settled: ISO 8601, UTC. Absent for files. */
  readonly archived?: string | undefined;
}

/** Pairs of a record's children by space: id at the source → id on the target. */
export type ChildPairs = Readonly<Record<IdSpace, Readonly<Record<string, string>>>>;

/** A record of the source, and all that earlier runs know about its counterpart. */
export interface Base {
  readonly targetId: string;
  /** The record's name on the target. */
  readonly name: string;
  /** The record's name at the source, if transforms rename it. */
  readonly sourceName?: string | undefined;
  /** True if an import created or updated the record. */
  readonly ours: boolean;
  /** By member (`tags`), or by member and the child's id on the target (`tiles/65a…`). */
  readonly parts: Readonly<Record<string, PartBase>>;
  /** Whether every part was settled once. Then a part without digests was added later; otherwise nothing is known of it. */
  readonly whole: boolean;
  readonly children?: ChildPairs | undefined;
  /** When the newest archive was exported with which a part was settled. */
  readonly archived?: string | undefined;
  /** True if a link is still to be set, because the linked record did not exist yet. */
  readonly lacksLinks?: boolean | undefined;
}

/** The counterparts of a record and of its children. */
export type Counterparts = Pick<Base, "targetId" | "children">;

/** The bases of all records of a source, by the key of the source's record. */
export type Bases = ReadonlyMap<RecordKey, Base>;
