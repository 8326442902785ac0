import type { PlanItem, TakenParts } from "../../../core/plan/plan.ts";
import { isJsonArray, type JsonValue } from "../../../core/json.ts";
import type { Bases, Counterparts } from "../../../core/plan/base.ts";
import type { KindName, RecordKey, StackRecord, Variant } from "../../../core/records/record.ts";
import type { ResourceKind } from "../../../core/resource-kind.ts";
import type { Matching } from "../../../matching/match-all.ts";
import type { PairBasis } from "../../../matching/pair-kind.ts";
import type { IsMadeAgain } from "../../../matching/match-records.ts";
import type { TargetIndex } from "../../../matching/target-index.ts";
import type { TransformNotes } from "../../transforms.ts";
import type { SuppliedSecrets } from "../../read/fill-records.ts";
import type { Bodies } from "../../write-body.ts";
import type { HiddenContent } from "../../../references/hidden-content.ts";

export interface RecordToDecide {
  readonly kind: ResourceKind;
  readonly record: StackRecord;
}

/** With `parts`, `record` contains only the parts that the update takes. */
export interface Decision
  extends
    RecordToDecide,
    Pick<PlanItem, "action" | "targetId" | "targetName" | "code" | "message" | "blockedBy">,
    Pick<
      PlanItem,
      "replaces" | "parts" | "since" | "kept" | "isMergeable" | "seen" | "afterRemovals" | "fitted" | "mayHide"
    > {}

/** Parts that are not taken must block nothing and cause no warning. Null keeps the positions of children valid. */
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

export function takenRecord(
  key: RecordKey,
  { archive, decisions }: Pick<PlanBasis, "archive" | "decisions">,
): StackRecord | undefined {
  return decisions.get(key)?.record ?? archive.byKey.get(key);
}

/** Empty in a rollback, where nobody could follow the advice. */
export function adviceIn({ isMadeAgain }: Pick<DecisionBasis, "isMadeAgain">, advice: string): string {
  return isMadeAgain === undefined ? advice : "";
}

export interface HiddenContentLoss {
  readonly hidden: ReadonlyMap<RecordKey, HiddenContent>;
  readonly accepted: boolean;
  /** Undefined if the record is as an import wrote it: no write can send hidden content. */
  readonly doubtful: (kind: KindName, targetId: string) => StackRecord | undefined;
  /** A record of the target that suggests hidden children: `the connection "Prometheus"`. */
  readonly hint: string | undefined;
}

export interface DecisionBasis extends Pick<
  PairBasis,
  "archive" | "inventory" | "options" | "bases" | "ownStack" | "ids"
> {
  readonly bodies: Bodies;
  readonly toCreate: ReadonlySet<RecordKey>;
  /** Records that the source no longer has. */
  readonly missing: Bases;
  /** The last target ids of records that the source lost and an import then deleted. */
  readonly former: ReadonlyMap<RecordKey, Counterparts>;
  /** The reason why nobody can tell whether an earlier run created the record. */
  readonly unknownCreates: ReadonlyMap<RecordKey, string>;
  /** Export time: ISO 8601, UTC. Absent for files. */
  readonly archived?: string | undefined;
  readonly matching: Matching;
  readonly target: TargetIndex;
  readonly suppliedSecrets: SuppliedSecrets;
  readonly holdsCredential: (text: string) => boolean;
  readonly transformed: TransformNotes;
  readonly loss: HiddenContentLoss;
  readonly refused: ReadonlyMap<RecordKey, string>;
  readonly removed: ReadonlySet<RecordKey>;
  readonly removedFirst: ReadonlySet<RecordKey>;
  /** Kinds of which the archive has every record. */
  readonly whole: ReadonlySet<KindName>;
  /** In code files: ids of the charts in place of tiles that the API could not show. */
  readonly substitutes: ReadonlySet<string>;
  readonly from?: Variant;
  /** Set only for a rollback, which has no source to correct and no map file. */
  readonly isMadeAgain?: IsMadeAgain | undefined;
}

export interface PlanBasis extends DecisionBasis {
  readonly decisions: ReadonlyMap<RecordKey, Decision>;
}
