import type { JsonValue } from "./json.ts";
import type { KindName, RecordKey, StackIdentity } from "./records/record.ts";

/** One member that differs between two records. `moved`: items of a list have another order. */
export interface MemberChange {
  /** JSON pointer into the record on the right. A removed list item has its index on the left. */
  readonly pointer: string;
  readonly change: "added" | "removed" | "changed" | "moved";
  /** The value on the left side. Ids that have a counterpart on the right side are replaced by the counterpart's id. */
  readonly from?: JsonValue;
  readonly to?: JsonValue;
  /** The name of the record, tile or filter whose id is `from`; absent if unknown. */
  readonly fromName?: string;
  readonly toName?: string;
  /** The child (such as a tile) that contains the member or is the member. */
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

/** The differences between two sides: stacks, archives or code files. A record whose id alone differs counts as equal. */
export interface Diff {
  readonly changes: readonly RecordChange[];
  readonly same: number;
  readonly notCompared: readonly NotCompared[];
}

export interface LoggedChange extends RecordChange {
  /** The owners of an added or removed record, such as the dashboard of an alert. */
  readonly livesOn?: readonly RecordKey[];
  /** The record's earlier name; absent if the name is the same. */
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
  /** ISO 8601, UTC. */
  readonly time: string;
  readonly changes: readonly LoggedChange[];
  /** Kinds that earlier backups contain and this backup does not. Their changes are unknown until a later backup contains them. */
  readonly notRead: readonly Pick<NotCompared, "kind" | "reason">[];
  /** The previous backup's stack, if this backup is of another stack and most record ids differ. */
  readonly movedFrom?: StackIdentity;
  readonly problem?: LogProblem;
}

/** The changes of a stack since its last good backup. */
export interface BackupChanges {
  /** The name of the last good backup. */
  readonly since: string;
  /** The number of records in the last good backup, by kind. */
  readonly recordsBefore: Readonly<Record<KindName, number>>;
  /** True if the comparison had no problem and found no difference. Members that the server changes by itself do not count. */
  readonly isSame: boolean;
  readonly records?: readonly LoggedChange[];
  readonly notRead: LogEntry["notRead"];
  readonly problem?: LogProblem;
}

/** The changes of a stack's records, from the stack's backups. */
export interface StackLog {
  readonly stack: string;
  readonly entries: readonly LogEntry[];
  /** The number of compared backups. The last backup before the requested time range is among them. */
  readonly compared: number;
  /** The oldest backup that was compared, and the number of its selected records; absent if no backup was compared. */
  readonly first?: { readonly archive: string; readonly time: string; readonly records: number };
}
