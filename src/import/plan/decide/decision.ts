import type { TargetVerdicts, PlanItem } from "../../../core/plan/plan.ts";
import type { JsonObject } from "../../../core/json.ts";
import type { StateRecords } from "../../../core/plan/state.ts";
import { recordKey, type RecordKey, type StackRecord, type Variant } from "../../../core/records/record.ts";
import type { ResourceKind } from "../../../core/resource-kind.ts";
import type { MatchBasis, Matching } from "../../../matching/match-all.ts";
import { translatedBody, type PairBasis } from "../../../matching/pair-kind.ts";
import { borrowSecrets } from "../../../redaction/placeholders.ts";
import type { ArchiveIndex } from "../../../references/archive-index.ts";
import type { IdMap } from "../../../core/plan/id-map.ts";
import type { TargetIndex } from "../../../matching/target-index.ts";
import type { TransformNotes } from "../../transform/transform-records.ts";
import type { RecordTranslation } from "../../write-body.ts";
import type { SuppliedSecrets } from "../../read/fill-records.ts";

/** A requested record, on which a decision is to be made. */
export interface RecordToDecide {
  readonly kind: ResourceKind;
  readonly record: StackRecord;
}

export interface MatchedPair extends RecordToDecide {
  readonly target: StackRecord;
  /** The record's body with the target's ids, and with the target's value in the place of each redacted secret. */
  readonly body: JsonObject;
}

/** Makes the pair of a record. A redacted secret counts as equal to the target's value in the same place. */
export function makePair({ kind, record }: RecordToDecide, target: StackRecord, basis: DecisionBasis): MatchedPair {
  return { kind, record, target, body: borrowSecrets(translatedBody(kind, record, basis), target.body) };
}

/** The parts that differ and that a merge leaves as on the target. */
export interface MergeConflicts {
  readonly labels: readonly string[];
  /** Whether the state contains the parts of the last import, so that both sides are known to have changed these parts. */
  readonly hasBase: boolean;
}

/**
 * The action for a record. The decision is valid if every record that this record references is on the target or is written as
 * well. If the update takes only `parts` of the record, `record` contains only these parts.
 */
export interface Decision
  extends
    RecordToDecide,
    Pick<PlanItem, "action" | "targetId" | "targetName" | "code" | "message">,
    Pick<PlanItem, "replaces" | "parts" | "since" | "afterRemovals" | "fitted" | "mayHide"> {
  /** Records that must be written first: they still reference children that the update removes. */
  readonly afterMoves?: readonly RecordKey[];
  /** The parts that a merge leaves as on the target although the archive's parts differ. */
  readonly conflicts?: MergeConflicts;
  /** Pointers of members that the target's record lacks, probably because the target drops them. */
  readonly lacked?: readonly string[];
  /** Set if the target itself has announced that it drops the members in `lacked`. */
  readonly isAnnounced?: true;
}

export function decisionKey({ kind, record }: RecordToDecide): RecordKey {
  return recordKey(kind.name, record.id);
}

/** Returns the translation of the bodies that are compared. */
export function translationOfBasis({ archive, options, ids }: DecisionBasis): RecordTranslation {
  return { ...options, ids, knownIds: archive.knownIds };
}

/** Tells whether a decision, or the item that follows from it, leads to a write. */
export function willWrite({ action }: Pick<PlanItem, "action">): boolean {
  return action === "create" || action === "update";
}

/** Tells whether a record is created although it has a counterpart. */
export function isCopy({ action, kind, record }: Decision, { pairs }: Matching): boolean {
  return action === "create" && pairs.get(kind.name)?.pairs.has(record.id) === true;
}

/** Lists the records that reference any of the decided records. */
export function dependentsOfDecided(decided: readonly Decision[], archive: ArchiveIndex): RecordKey[] {
  const { dependents } = archive.links();
  return [...new Set(decided.flatMap((decision) => [...(dependents.get(decisionKey(decision)) ?? [])]))];
}

/** The input of every decision. */
export interface DecisionBasis extends Pick<
  MatchBasis & PairBasis,
  "archive" | "inventory" | "options" | "journaled" | "recordStates" | "ownStack"
> {
  /**
   * The mappings from archive ids to target ids. The mappings of a record are deleted when a copy of the record is to be created.
   */
  readonly ids: IdMap;
  readonly matching: Matching;
  /** Records whose create an earlier run has started, and whose result is unknown. */
  readonly lost: ReadonlySet<RecordKey>;
  readonly target: TargetIndex;
  readonly suppliedSecrets: SuppliedSecrets;
  /** Tells whether a text contains a credential of the run. */
  readonly holdsCredential: (text: string) => boolean;
  readonly transformed: TransformNotes;
  readonly verdicts: TargetVerdicts;
  /** Records of the target that a mirror deletes. */
  readonly removed: ReadonlySet<RecordKey>;
  /** Those of them that are deleted before the run writes. */
  readonly removedFirst: ReadonlySet<RecordKey>;
  /** The whole state, by the identities of the source's records; also has records that the source has deleted. */
  readonly stateRecords: StateRecords;
  /** Records that an earlier draft of the plan could not create. */
  readonly uncreated: ReadonlySet<RecordKey>;
  /** The variant of the archive's stack; absent if the variant is unknown. */
  readonly from?: Variant;
}
