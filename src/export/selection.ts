import { isSelected, type RecordFilter } from "../core/records/record-filter.ts";
import { keyOfRecord, type NamedRecord, type StackRecord } from "../core/records/record.ts";
import { knownKind } from "../kinds/registry.ts";
import { hostKeysOf } from "../references/references.ts";

export interface Selection {
  /** True if the filter has `include` patterns. `choose` must then see a dashboard before its alerts. */
  readonly isByName: boolean;
  choose(record: StackRecord): boolean;
  readonly seen: readonly NamedRecord[];
}

/** An alert that is not excluded comes along with its dashboard. Kinds that imports do not always write are not filtered. */
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
      // Compares in lower case, because a stack may change the case of ids between answers.
      const comesAlong = hosts.some((host) => taken.has(host.toLowerCase())) && !isExcluded(record);
      const isChosen = isSelected(record, filter) || comesAlong;
      if (isChosen) taken.add(keyOfRecord(record).toLowerCase());
      return isChosen || knownKind(record.kind).importPolicy.when !== "always";
    },
  };
}
