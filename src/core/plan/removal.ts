import type { KindName, StackRecord } from "../records/record.ts";

/** A record of the target that the source no longer has, and what is done about it (`--mirror`). */
export interface Removal {
  readonly kind: KindName;
  /** What the source knew it by; the target's own id where nothing is remembered of it. */
  readonly sourceId: string;
  /** That it has on the target. */
  readonly name: string;
  readonly targetId: string;
  /** `unchanged`: the target does not have it any more either. */
  readonly action: "delete" | "skip" | "blocked" | "unchanged";
  /** Why it is not deleted. */
  readonly code?: string;
  readonly message?: string;
  /** What is deleted, as it was when the plan was made: what has changed since then stays. */
  readonly there?: StackRecord;
}

/** All that `--mirror` would do. */
export interface PlannedMirror {
  readonly removals: readonly Removal[];
  /** How many records may be deleted (`--max-delete`). */
  readonly allowed: number;
  /** What a share of that is a share of. */
  readonly of: number;
}
