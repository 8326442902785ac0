import type { JsonValue } from "./json.ts";
import type { KindName, RecordKey, StackIdentity } from "./records/record.ts";

/** A member that differs between two records. `moved`: the items of a list have another order. */
export interface MemberChange {
  /** JSON pointer into the right record; a removed list item has its index on the left. */
  readonly pointer: string;
  readonly change: "added" | "removed" | "changed" | "moved";
  /** The left value, in which the ids of matched records are the right side's ids. */
  readonly from?: JsonValue;
  readonly to?: JsonValue;
  /** The name of the record or child whose id is `from`; absent if unknown. */
  readonly fromName?: string;
  readonly toName?: string;
  readonly child?: { readonly noun: string; readonly name: string };
}

export interface RecordChange {
  readonly kind: KindName;
  readonly change: "added" | "removed" | "changed";
  readonly name: string;
  readonly displayName?: string;
  readonly leftId?: string;
  readonly rightId?: string;
  readonly ambiguous?: true;
  /** Empty unless the record is `changed`. */
  readonly members: readonly MemberChange[];
}

export interface NotCompared {
  readonly kind: KindName;
  readonly side: "left" | "right";
  /** `failed`: the kind could not be read, so the comparison is incomplete. */
  readonly reason: "failed" | "not-offered" | "not-requested";
}

/** The differences between two sides. Records that differ only in their ids count as equal. */
export interface Diff {
  readonly changes: readonly RecordChange[];
  readonly same: number;
  readonly notCompared: readonly NotCompared[];
}

export interface LoggedChange extends RecordChange {
  readonly livesOn?: readonly RecordKey[];
  readonly formerName?: string;
}

export interface LogProblem {
  readonly code:
    | "suspect-backup"
    | "damaged-backup"
    | "refused-backup"
    | "unfinished-backup"
    | "missing-backup"
    | "unreadable-record"
    | "wrong-key";
  readonly message: string;
}

/** A backup that differs from earlier backups, or that could not be compared. */
export interface LogEntry {
  readonly archive: string;
  readonly time: string;
  readonly changes: readonly LoggedChange[];
  readonly notRead: readonly Pick<NotCompared, "kind" | "reason">[];
  /** Set if this backup is of another stack and most record ids differ. */
  readonly movedFrom?: StackIdentity;
  readonly problem?: LogProblem;
}

export interface BackupChanges {
  readonly since: string;
  readonly recordsBefore: Readonly<Record<KindName, number>>;
  /** Members that the server changes by itself do not count. False if the comparison had a problem. */
  readonly isSame: boolean;
  readonly records?: readonly LoggedChange[];
  readonly notRead: LogEntry["notRead"];
  readonly problem?: LogProblem;
}

export interface StackLog {
  readonly stack: string;
  readonly entries: readonly LogEntry[];
  /** Number of compared backups. Includes the last backup before the requested time range. */
  readonly compared: number;
  /** The oldest compared backup. `records` counts its selected records. */
  readonly first?: { readonly archive: string; readonly time: string; readonly records: number };
}
