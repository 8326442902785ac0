import { isSelected, type RecordFilter } from "../core/records/record-filter.ts";
import { keyOfRecord, type NamedRecord, type StackRecord } from "../core/records/record.ts";
import { knownKind } from "../kinds/registry.ts";
import { hostKeysOf } from "../references/references.ts";

/** The records that an export writes. */
export interface Selection {
  /** True if the filter has `include` patterns. `choose` must then see a record before the records that belong to it. */
  readonly isByName: boolean;
  choose(record: StackRecord): boolean;
  /** The records that `choose` has seen, in which unused patterns are searched. Empty if the filter has no patterns. */
  readonly seen: readonly NamedRecord[];
}

/**
 * Creates a selection. Also selects records that belong to a record of `include`, such as the alerts of a dashboard.
 * Always selects records of kinds that an import does not always write, such as sources.
 */
export function createSelection(filter: RecordFilter): Selection {
  const isByName = filter.include.length > 0;
  const taken = new Set<string>();
  const seen: NamedRecord[] = [];
  const hasPatterns = isByName || filter.exclude.length > 0;
  const isExcluded = (record: StackRecord): boolean => !isSelected(record, { include: [], exclude: filter.exclude });
  return {
    isByName,
    seen,
    choose(record) {
      if (hasPatterns) seen.push({ kind: record.kind, id: record.id, name: record.name });
      const hosts = isByName ? hostKeysOf(knownKind(record.kind), record.body) : [];
      // Keys are compared in lower case, because a stack may change the case of ids between answers.
      const comesAlong = hosts.some((host) => taken.has(host.toLowerCase())) && !isExcluded(record);
      const isChosen = isSelected(record, filter) || comesAlong;
      if (isChosen) taken.add(keyOfRecord(record).toLowerCase());
      return isChosen || knownKind(record.kind).importPolicy.when !== "always";
    },
  };
}
