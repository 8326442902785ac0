import type { ChangedSince } from "../../../core/plan/memory.ts";
import type { Adaptation } from "../../../core/plan/plan.ts";
import type { RecordKey, StackRecord } from "../../../core/records/record.ts";
import { recordKey } from "../../../core/records/record.ts";
import type { ResourceKind } from "../../../core/resource-kind.ts";

/** A record that is asked for. */
export interface Undecided {
  readonly kind: ResourceKind;
  readonly record: StackRecord;
}

/** What is done with a record if everything that it points to exists on the target or is written too. */
export interface Decision extends Undecided {
  readonly action: "create" | "update" | "skip" | "unchanged" | "blocked";
  readonly targetId?: string;
  /** The name of the target's record, where it is another one. */
  readonly targetName?: string;
  /** For an update, and what was changed on the target since the last import: what is there. */
  readonly replaces?: StackRecord;
  /** What has changed since the last import, where the target's record was changed. */
  readonly since?: ChangedSince;
  readonly code?: string;
  readonly message?: string;
  /** Records of the target that must be gone before. */
  readonly afterRemovals?: readonly RecordKey[];
  /** Pointers of what the target's record lacks, as the target seems not to keep it. */
  readonly lacked?: readonly string[];
  /** The target has said so itself. */
  readonly isSaid?: true;
  /** What `--adapt` changes in it. */
  readonly adaptations?: readonly Adaptation[];
}

/** The key of the record that is decided on. */
export function decisionKey({ kind, record }: Undecided): RecordKey {
  return recordKey(kind.name, record.id);
}
