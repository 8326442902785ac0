import type { JsonValue } from "./json.ts";
import type { KindName, RecordKey, StackIdentity } from "./records/record.ts";

/** One member that differs between two records. `moved`: a list has the same items in another order. */
export interface MemberChange {
  /** JSON pointer into the record on the right; for a removed member, into the record on the left. */
  readonly pointer: string;
  readonly change: "added" | "removed" | "changed" | "moved";
  /** The value on the left side. The ids in it are translated to ids of the right side. */
  readonly from?: JsonValue;
  readonly to?: JsonValue;
  /** If `from` is the id of another record, tile or filter: the name that belongs to the id, if known. */
  readonly fromName?: string;
  readonly toName?: string;
  /** The child (for instance a tile) that contains the member or is the member. */
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

/** The differences between two stacks or two states of one stack. A record whose id alone differs counts as equal. */
export interface Diff {
  readonly changes: readonly RecordChange[];
  readonly same: number;
  readonly notCompared: readonly NotCompared[];
}

export interface LoggedChange extends RecordChange {
  /** For a record that was added or removed: the records that it lives on, such as the dashboard of an alert. */
  readonly livesOn?: readonly RecordKey[];
  /** The record's name in the previous backup; absent if the name is the same. */
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

/** A backup that differs from the previous one, or that could not be compared. */
export interface LogEntry {
  readonly archive: string;
  /** ISO 8601, UTC. */
  readonly time: string;
  readonly changes: readonly LoggedChange[];
  /** Kinds that were not read for this backup: their changes are unknown until a later backup has them. */
  readonly notRead: readonly Pick<NotCompared, "kind" | "reason">[];
  /** The stack of the previous backup, if it is another stack and most of its records have other ids. */
  readonly movedFrom?: StackIdentity;
  readonly problem?: LogProblem;
}

/** What changed on a stack since its last good backup. */
export interface BackupChanges {
  readonly since: string;
  /** The number of records in the last good backup, by kind. */
  readonly recordsBefore: Readonly<Record<KindName, number>>;
  /** True if no record differs, apart from members that the server changes by itself. */
  readonly isSame: boolean;
  readonly records?: readonly LoggedChange[];
  readonly notRead: LogEntry["notRead"];
  readonly problem?: LogProblem;
}

/** The history of a stack's records, as the stack's backups show it. */
export interface StackLog {
  readonly stack: string;
  readonly entries: readonly LogEntry[];
  /** The number of backups that were compared, including the last one before the requested time range. */
  readonly compared: number;
  /** The oldest backup that was compared, and the number of its selected records; absent if no backup was compared. */
  readonly first?: { readonly archive: string; readonly time: string; readonly records: number };
}
