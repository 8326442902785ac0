import type { ChosenChild, ConflictPolicy, ManualMapping } from "../core/plan/plan.ts";
import { isSelected, type RecordFilter } from "../core/records/record-filter.ts";
import { keyOfRecord, type KindName, type StackRecord } from "../core/records/record.ts";
import type { ResourceKind } from "../core/resource-kind.ts";
import type { JsonObject } from "../core/json.ts";
import { fitBody } from "../kinds/limits.ts";

export interface PlanOptions {
  readonly onConflict: ConflictPolicy;
  /** Empty means all kinds that can be imported. */
  readonly kinds: readonly KindName[];
  readonly create: readonly KindName[];
  readonly tile?: string;
  readonly chosen?: ChosenChild;
  /** Referenced records are matched even if the filter does not select them. */
  readonly filter: RecordFilter;
  readonly withDependencies?: boolean;
  readonly mapping: ManualMapping;
  /** Pairs of code files with the target's records. The map file and the journal take precedence. */
  readonly paired?: ManualMapping;
  /** Counterparts are searched under the prefixed names. */
  readonly namePrefix?: string | undefined;
  readonly fitLimits?: boolean;
  /** Unix milliseconds, for limits that depend on the time. */
  readonly now?: number;
  /** Writes even if a write destroys content that no answer shows. */
  readonly acceptHiddenLoss?: boolean;
}

export function isRequested(record: StackRecord, { kinds, filter, chosen }: PlanOptions): boolean {
  if (chosen !== undefined) return chosen.keys.has(keyOfRecord(record));
  return (kinds.length === 0 || kinds.includes(record.kind)) && isSelected(record, filter);
}

export function fitted(
  kind: ResourceKind,
  body: JsonObject,
  { fitLimits = false, now }: Pick<PlanOptions, "fitLimits" | "now">,
): JsonObject {
  return fitLimits ? fitBody(kind, body, now) : body;
}

/** A record outside the selection is only matched, so it gets no prefix. */
export function namePrefixOf(record: StackRecord, options: PlanOptions): string | undefined {
  return isRequested(record, options) ? options.namePrefix : undefined;
}

export function prefixName(kind: ResourceKind, body: JsonObject, namePrefix: string | undefined): JsonObject {
  const member = kind.nameFields.name;
  const name = member === undefined ? undefined : body[member];
  return namePrefix && member !== undefined && typeof name === "string"
    ? { ...body, [member]: namePrefix + name }
    : body;
}
