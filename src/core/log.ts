import type { NotCompared, RecordChange } from "./diff.ts";
import type { StackIdentity } from "./records/record.ts";

/** A change of a record between two backups. */
export interface LoggedChange extends RecordChange {
  /** The name in the backup before; absent if it is the same. */
  readonly formerName?: string;
}

/** A reason why a backup was not compared. */
export interface LogProblem {
  readonly code: "suspect-backup" | "damaged-backup" | "not-comparable" | "refused-backup" | "encrypted-backup";
  readonly message: string;
}

/** A backup that differs from the one before it, or that could not be compared. */
export interface LogEntry {
  /** Name in the repository. */
  readonly archive: string;
  /** ISO 8601, UTC. */
  readonly time: string;
  readonly changes: readonly LoggedChange[];
  /** Kinds that this backup could not read: nothing is known of their changes until the next one. */
  readonly notRead: readonly Pick<NotCompared, "kind" | "reason">[];
  /** Set if the backup is of another stack than the one before it: records have new ids there. */
  readonly movedFrom?: StackIdentity;
  readonly problem?: LogProblem;
}

/** The history of a stack, as its backups tell it. */
export interface StackLog {
  readonly stack: string;
  /** The newest first. */
  readonly entries: readonly LogEntry[];
  /** The number of backups that were compared, with the one before the first change. */
  readonly compared: number;
  /** The oldest backup that was compared, and its selected records; absent if there is none. */
  readonly first?: { readonly archive: string; readonly time: string; readonly records: number };
}
