import type { ChangedSince } from "../../../core/plan/state.ts";
import type { TakenParts, AlteredMember } from "../../../core/plan/plan.ts";
import type { RecordKey, StackRecord } from "../../../core/records/record.ts";
import { recordKey } from "../../../core/records/record.ts";
import type { ResourceKind } from "../../../core/resource-kind.ts";

/** A record that was requested. */
export interface Undecided {
  readonly kind: ResourceKind;
  readonly record: StackRecord;
}

/** The parts that a merge leaves as on the target. */
export interface MergeConflicts {
  readonly labels: readonly string[];
  /** The state has the parts of the last import, so both sides are known to have changed these parts. */
  readonly hasBase: boolean;
}

/** The action for a record, valid if every record that it references is on the target or is written too. */
export interface Decision extends Undecided {
  readonly action: "create" | "update" | "skip" | "unchanged" | "blocked";
  readonly targetId?: string;
  /** The name of the target's record, if it differs. */
  readonly targetName?: string;
  /** The target's record, for an update and for a record that was changed on the target since the last import. */
  readonly replaces?: StackRecord;
  /** The parts of the record that the update takes; all if absent. `record` then has these parts only. */
  readonly parts?: TakenParts;
  /** The parts that a merge leaves as on the target although the archive's differ. */
  readonly conflicts?: MergeConflicts;
  /** The changes since the last import, if the target's record was changed. */
  readonly since?: ChangedSince;
  readonly code?: string;
  readonly message?: string;
  /** Records of the target that must be deleted first. */
  readonly afterRemovals?: readonly RecordKey[];
  /** Pointers of members that the target's record lacks, probably because the target drops them. */
  readonly lacked?: readonly string[];
  /** The target itself has announced that it drops them. */
  readonly isSaid?: true;
  /** The changes that `--fit-limits` makes. */
  readonly fitted?: readonly AlteredMember[];
}

/** The key of the record that is decided on. */
export function decisionKey({ kind, record }: Undecided): RecordKey {
  return recordKey(kind.name, record.id);
}

/** Why a record is updated although its content is as archived. */
export const RELINK = {
  code: "relink",
  message: "the record that it points to was deleted on the target and is created again; this update sets the new id",
} as const;
