import type { KindName, StackRecord } from "../records/record.ts";

/** A record of the target that the source no longer has, and the planned action (`--mirror`). */
export interface Removal {
  readonly kind: KindName;
  /** The record's id at the source; the target's id where the state has no entry for it. */
  readonly sourceId: string;
  /** Its name on the target. */
  readonly name: string;
  readonly targetId: string;
  /** `unchanged`: the target no longer has it either. */
  readonly action: "delete" | "skip" | "blocked" | "unchanged";
  /** Why the record is not deleted. */
  readonly code?: string;
  readonly message?: string;
  /** The record as it was when the plan was made: it is kept if it has changed since then. */
  readonly targetRecord?: StackRecord;
}

/** Everything that `--mirror` would do. */
export interface PlannedMirror {
  readonly removals: readonly Removal[];
  /** The number of records that may be deleted (`--max-delete`). */
  readonly allowed: number;
  /** The number of records that a percentage in `--max-delete` refers to. */
  readonly of: number;
}
