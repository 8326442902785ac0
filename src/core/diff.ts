import type { JsonValue } from "./json.ts";
import type { KindName } from "./records/record.ts";

/** One member that differs. `moved`: the same items, in another order. */
export interface MemberChange {
  /** JSON pointer into the right record; into the left one for what was removed. */
  readonly pointer: string;
  readonly change: "added" | "removed" | "changed" | "moved";
  /** What the left side has, its ids translated to those of the right side. */
  readonly from?: JsonValue;
  readonly to?: JsonValue;
  /** What of the record the member is in, or is itself: a tile by its name. */
  readonly child?: { readonly noun: string; readonly name: string };
}

/** One record that differs. */
export interface RecordChange {
  readonly kind: KindName;
  readonly change: "added" | "removed" | "changed";
  readonly name: string;
  /** What people call it, where it has no name. */
  readonly called?: string;
  readonly leftId?: string;
  readonly rightId?: string;
  /** Several records of the other side could be this one, and nothing tells which. */
  readonly ambiguous?: true;
  /** Empty unless the record is `changed`. */
  readonly members: readonly MemberChange[];
}

/** A kind that could not be compared. */
export interface NotCompared {
  readonly kind: KindName;
  readonly side: "left" | "right";
  /** `failed`: it could not be read, so the comparison is incomplete. */
  readonly reason: "failed" | "not-offered" | "not-requested";
}

/** What differs between two stacks, or two moments of one. Ids that only name the same thing differently do not count. */
export interface Diff {
  readonly changes: readonly RecordChange[];
  /** Records that are on both sides and say the same. */
  readonly same: number;
  readonly notCompared: readonly NotCompared[];
}
