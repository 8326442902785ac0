import type { PlanItem, TakenParts } from "../../../core/plan/plan.ts";
import { isJsonArray, type JsonValue } from "../../../core/json.ts";
import type { Bases, Counterparts } from "../../../core/plan/base.ts";
import {
  recordKey,
  type KindName,
  type RecordKey,
  type StackRecord,
  type Variant,
} from "../../../core/records/record.ts";
import type { ResourceKind } from "../../../core/resource-kind.ts";
import type { MatchBasis, Matching } from "../../../matching/match-all.ts";
import type { PairBasis } from "../../../matching/pair-kind.ts";
import type { IsMadeAgain } from "../../../matching/match-records.ts";
import type { IdMap } from "../../../core/plan/id-map.ts";
import type { TargetIndex } from "../../../matching/target-index.ts";
import type { TransformNotes } from "../../transforms.ts";
import type { SuppliedSecrets } from "../../read/fill-records.ts";
import type { Bodies } from "../../write-body.ts";
import type { HiddenContent } from "../../../references/hidden-content.ts";

export interface RecordToDecide {
  readonly kind: ResourceKind;
  readonly record: StackRecord;
}

/**
 * The action for a record, under the condition that the target has, or gets, every record that this record references.
 * If the update takes only `parts` of the record, `record` contains only these parts.
 */
export interface Decision
  extends
    RecordToDecide,
    Pick<PlanItem, "action" | "targetId" | "targetName" | "code" | "message" | "blockedBy">,
    Pick<
      PlanItem,
      "replaces" | "parts" | "since" | "kept" | "isMergeable" | "seen" | "afterRemovals" | "fitted" | "mayHide"
    > {}

/**
 * Reduces an archived record to its id, its name and the parts that an update takes, so that the other parts block
 * nothing and cause no warning. Null takes the place of each other child, so that positions stay valid.
 */
export function partialRecord(kind: ResourceKind, record: StackRecord, parts: TakenParts | undefined): StackRecord {
  if (parts === undefined) return record;
  const children = kind.children.map(({ member }): [string, JsonValue] => {
    const list = record.body[member];
    const positions = new Set(parts.taken[member]);
    return [member, isJsonArray(list) ? list.map((child, at) => (positions.has(at) ? child : null)) : []];
  });
  const nameMember = kind.nameFields.name === undefined ? [] : [kind.nameFields.name];
  const members = ["id", ...nameMember, ...(parts.members ?? [])].map((member): [string, JsonValue | undefined] => [
    member,
    record.body[member],
  ]);
  return { ...record, body: Object.fromEntries([...members, ...children]) };
}

/** Returns a record of the archive, or only the parts of it that an update takes. */
export function takenRecord(
  key: RecordKey,
  { archive, decisions }: Pick<PlanBasis, "archive" | "decisions">,
): StackRecord | undefined {
  return decisions.get(key)?.record ?? archive.byKey.get(key);
}

export function decisionKey({ kind, record }: RecordToDecide): RecordKey {
  return recordKey(kind.name, record.id);
}

/** Returns the advice, which ends a message; empty for a rollback, in which nobody could follow the advice. */
export function adviceIn({ isMadeAgain }: Pick<DecisionBasis, "isMadeAgain">, advice: string): string {
  return isMadeAgain === undefined ? advice : "";
}

/** Content of the target that the API never shows, and whether the user accepts its loss. */
export interface HiddenContentLoss {
  readonly hidden: ReadonlyMap<RecordKey, HiddenContent>;
  readonly accepted: boolean;
  /**
   * Returns the target's record if the record may have hidden content of which there is no sign. Returns undefined if
   * nobody has changed the record since an import wrote it, because no write can send hidden content.
   */
  readonly doubtful: (kind: KindName, targetId: string) => StackRecord | undefined;
  /** A record of the target that suggests hidden children, as people read it: `the connection "Prometheus"`. */
  readonly hint: string | undefined;
}

export interface DecisionBasis extends Pick<
  MatchBasis & PairBasis,
  "archive" | "inventory" | "options" | "bases" | "ownStack"
> {
  readonly ids: IdMap;
  readonly bodies: Bodies;
  /** The records that the run creates, unless something blocks them. */
  readonly toCreate: ReadonlySet<RecordKey>;
  /** The bases of records that the source no longer has. */
  readonly missing: Bases;
  /** For each record that an import has deleted and that the source no longer has: the last ids on the target. */
  readonly former: ReadonlyMap<RecordKey, Counterparts>;
  /** For each record of which nobody can tell whether an earlier run created it: the reason. */
  readonly unknownCreates: ReadonlyMap<RecordKey, string>;
  /** When the archive was exported: ISO 8601, UTC. Absent for files. */
  readonly archived?: string | undefined;
  readonly matching: Matching;
  readonly target: TargetIndex;
  readonly suppliedSecrets: SuppliedSecrets;
  readonly holdsCredential: (text: string) => boolean;
  readonly transformed: TransformNotes;
  readonly loss: HiddenContentLoss;
  /** For each create that the target would refuse: the target's reason. */
  readonly refused: ReadonlyMap<RecordKey, string>;
  /** Records of the target that a mirror deletes. */
  readonly removed: ReadonlySet<RecordKey>;
  /** The records of `removed` that are deleted before the run writes. */
  readonly removedFirst: ReadonlySet<RecordKey>;
  /** Kinds whose records the archive holds completely. */
  readonly whole: ReadonlySet<KindName>;
  /** Ids of tiles of code files that stand in for tiles which the API could not show. */
  readonly substitutes: ReadonlySet<string>;
  /** The variant of the archive's stack; absent if the variant is unknown. */
  readonly from?: Variant;
  /**
   * Set only for a rollback, as in `KnownIdentity`. A rollback has no source that somebody could change, and no map
   * file, so its messages contain no advice about these.
   */
  readonly isMadeAgain?: IsMadeAgain | undefined;
}

/** The input of all steps after the decisions. */
export interface PlanBasis extends DecisionBasis {
  readonly decisions: ReadonlyMap<RecordKey, Decision>;
}
