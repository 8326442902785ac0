import type { JsonValue } from "./json.ts";
import type { KindName } from "./records/record.ts";

/** One member that differs between two records. `moved`: a list has the same items in another order. */
export interface MemberChange {
  /** JSON pointer into the record on the right; for a removed member, into the record on the left. */
  readonly pointer: string;
  readonly change: "added" | "removed" | "changed" | "moved";
  /** The value on the left side, with its ids translated to those of the right side. */
  readonly from?: JsonValue;
  readonly to?: JsonValue;
  /** The child (for instance a tile) that contains the member or is the member. */
  readonly child?: { readonly noun: string; readonly name: string };
}

/** One record that differs between the two sides of a comparison. */
export interface RecordChange {
  readonly kind: KindName;
  readonly change: "added" | "removed" | "changed";
  readonly name: string;
  /** Display name of a record that has no name. */
  readonly displayName?: string;
  readonly leftId?: string;
  readonly rightId?: string;
  /** True if several records of the other side could be the counterpart. */
  readonly ambiguous?: true;
  /** Empty unless the record is `changed`. */
  readonly members: readonly MemberChange[];
}

/** A kind that could not be compared. */
export interface NotCompared {
  readonly kind: KindName;
  readonly side: "left" | "right";
  /** `failed`: the kind could not be read, so the comparison is incomplete. */
  readonly reason: "failed" | "not-offered" | "not-requested";
}

/**
 * The differences between two stacks, or between two states of one stack. If one record has different ids on the two sides, that is
 * no difference.
 */
export interface Diff {
  readonly changes: readonly RecordChange[];
  /** Number of records that are equal on both sides. */
  readonly same: number;
  readonly notCompared: readonly NotCompared[];
}
