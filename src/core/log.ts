import type { NotCompared, RecordChange } from "./diff.ts";
import type { StackIdentity } from "./records/record.ts";

/** A change of a record between two backups. */
export interface LoggedChange extends RecordChange {
  /** The record's name in the backup before; absent if the name is the same. */
  readonly formerName?: string;
}

/** A reason why a backup was not compared. */
export interface LogProblem {
  readonly code: "suspect-backup" | "damaged-backup" | "not-comparable" | "refused-backup" | "encrypted-backup";
  readonly message: string;
}

/** A backup that differs from the one before it, or that could not be compared. */
export interface LogEntry {
  /** The backup's name in the repository. */
  readonly archive: string;
  /** ISO 8601, UTC. */
  readonly time: string;
  readonly changes: readonly LoggedChange[];
  /** Kinds that were not read for this backup: their changes are unknown until a later backup has them. */
  readonly notRead: readonly Pick<NotCompared, "kind" | "reason">[];
  /** The stack of the backup before, if this backup is of another stack. Records have new ids on the other stack. */
  readonly movedFrom?: StackIdentity;
  readonly problem?: LogProblem;
}

/** The history of a stack's records, as the stack's backups show it. */
export interface StackLog {
  readonly stack: string;
  /** The entries, the newest first. */
  readonly entries: readonly LogEntry[];
  /** The number of backups that were compared, including the last one before the requested time range. */
  readonly compared: number;
  /** The oldest backup that was compared, and the number of its selected records; absent if no backup was compared. */
  readonly first?: { readonly archive: string; readonly time: string; readonly records: number };
}
