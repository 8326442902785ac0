import type { ChosenChild, ConflictPolicy, ManualMapping } from "../core/plan/plan.ts";
import { isSelected, type RecordFilter } from "../core/records/record-filter.ts";
import { keyOfRecord, type KindName, type StackRecord } from "../core/records/record.ts";
import type { ResourceKind } from "../core/resource-kind.ts";
import type { JsonObject } from "../core/json.ts";
import { fitBody } from "../kinds/limits.ts";

export interface PlanOptions {
  /** The treatment of records that differ from their counterpart on the target. Equal records are always left alone. */
  readonly onConflict: ConflictPolicy;
  /** Kinds to import; empty means all that can be imported. */
  readonly kinds: readonly KindName[];
  /**
   * Kinds whose records are created if the target has no counterpart. Possible are connections, sources, webhooks and saved searches.
   */
  readonly create: readonly KindName[];
  readonly tile?: string;
  /** The child that `tile` names; found when the import is planned. */
  readonly chosen?: ChosenChild;
  /** Selects the records to import. Records that they reference are matched even if the filter does not select them. */
  readonly filter: RecordFilter;
  /** Whether the import also writes the records that the records of `include` reference. */
  readonly withDependencies?: boolean;
  readonly mapping: ManualMapping;
  /** Pairs that follow from file names. The journal takes precedence over these pairs, and the map file over both. */
  readonly paired?: ManualMapping;
  /**
   * The text that the import puts before the names of written records (`--name-prefix`). Counterparts are searched
   * under the changed names.
   */
  readonly namePrefix?: string | undefined;
  /** Whether to convert bodies that the API refuses into a form that the API accepts; default false. */
  readonly fitLimits?: boolean;
  /** Current time in milliseconds, for refusals that depend on a record's age. */
  readonly now?: number;
  /** Whether to write a record even if the write destroys content that no answer of the target shows; default false. */
  readonly acceptHiddenLoss?: boolean;
}

/** Tells whether the options select a record. Whether the record can be written at all is not checked here. */
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

/**
 * Returns the name prefix that a record gets on the target. A record outside the selection gets none: it is matched
 * only because a selected record references it.
 */
export function namePrefixOf(record: StackRecord, options: PlanOptions): string | undefined {
  return isRequested(record, options) ? options.namePrefix : undefined;
}

export function prefixName(kind: ResourceKind, body: JsonObject, namePrefix: string | undefined): JsonObject {
  const member = kind.nameFields.name;
  const name = member === undefined ? undefined : body[member];
  // A record without a name (an alert may have `null`) gets no prefix, because nobody would search for it by name.
  return namePrefix && member !== undefined && typeof name === "string"
    ? { ...body, [member]: namePrefix + name }
    : body;
}
