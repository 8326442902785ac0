import type { ManifestWarning } from "../core/manifest.ts";
import { isSelected, type RecordFilter } from "../core/records/record-filter.ts";
import { keyOfRecord, type NamedRecord, type RecordKey, type StackRecord } from "../core/records/record.ts";
import { MAX_NAMED, joinNames } from "../core/text/format.ts";
import { knownKind } from "../kinds/registry.ts";
import { nameOfRecord } from "../kinds/nouns.ts";
import { hostKeysOf } from "../references/references.ts";

export interface RecordChoice {
  readonly isTaken: boolean;
  /** For a record that is left out: the exported record to which it belongs, if there is one. */
  readonly leftOn?: RecordKey;
}

/** Chooses the records that the user selected. */
export interface Selection {
  /** True if records are selected by name: then `choose` must see a record before the records that belong to it. */
  readonly isByName: boolean;
  choose(record: StackRecord): RecordChoice;
  /** The records that `choose` has seen, for the search for unused patterns; empty if the filter has no patterns. */
  readonly seen: readonly NamedRecord[];
}

/**
 * Creates a selection. Also selects records that belong to a record of `include`, such as the alerts of a dashboard: otherwise the
 * export would omit them silently. Always selects kinds that an import only matches.
 */
export function createSelection(filter: RecordFilter): Selection {
  const isByName = filter.include.length > 0;
  const taken = new Map<string, RecordKey>();
  const seen: NamedRecord[] = [];
  const hasPatterns = isByName || filter.exclude.length > 0;
  const isExcluded = (record: StackRecord): boolean => !isSelected(record, { include: [], exclude: filter.exclude });
  return {
    isByName,
    seen,
    choose(record) {
      if (hasPatterns) seen.push({ kind: record.kind, id: record.id, name: record.name });
      const hostKeys = isByName ? hostKeysOf(knownKind(record.kind), record.body) : [];
      // In lower case, because a stack may change the case of ids between answers.
      const hosts = hostKeys.map((key) => key.toLowerCase());
      const comesAlong = hosts.some((host) => taken.has(host)) && !isExcluded(record);
      if (isSelected(record, filter) || comesAlong) {
        const key = keyOfRecord(record);
        taken.set(key.toLowerCase(), key);
        return { isTaken: true };
      }
      if (knownKind(record.kind).importPolicy.when !== "always") return { isTaken: true };
      const leftOn = hosts.map((host) => taken.get(host)).find((host) => host !== undefined);
      return { isTaken: false, ...(leftOn !== undefined && { leftOn }) };
    },
  };
}

/**
 * Warns of left-out records that belong to a selected record.
 * @param leftByHost the left-out records, by the record that they belong to
 */
export function warnOfUnexportedRecords(
  taken: readonly NamedRecord[],
  leftByHost: ReadonlyMap<RecordKey, readonly NamedRecord[]>,
): ManifestWarning[] {
  return taken.flatMap((host) => {
    const unexported = leftByHost.get(keyOfRecord(host)) ?? [];
    if (unexported.length === 0) return [];
    const names = joinNames(unexported, MAX_NAMED, nameOfRecord);
    return [{ code: "left-out", message: `${nameOfRecord(host)} is exported without ${names}` }];
  });
}
