import type { KnownIds } from "../domain/id-map.ts";
import { placesAt } from "../domain/member-path.ts";
import { recordKey } from "../domain/record.ts";
import type { KindName, RecordKey, StackRecord } from "../domain/record.ts";
import type { IdSpace } from "../domain/resource-kind.ts";
import { findKind } from "../kinds/registry.ts";
import { groupBy } from "./group-by.ts";
import { collectKnownIds } from "./known-ids.ts";
import { findReferences } from "./references.ts";
import type { Reference } from "./references.ts";

/** The archive's records as the planner looks at them. */
export interface ArchiveIndex {
  readonly records: readonly StackRecord[];
  readonly byKind: ReadonlyMap<KindName, readonly StackRecord[]>;
  readonly byKey: ReadonlyMap<RecordKey, StackRecord>;
  readonly known: KnownIds;
  /** What each record points to. */
  readonly references: ReadonlyMap<RecordKey, readonly Reference[]>;
  /** Ids that records point to, by space: some are no records of the archive (connections, webhooks of a managed stack). */
  readonly referred: ReadonlyMap<IdSpace, ReadonlySet<string>>;
}

/** Looks once through all records. */
export function indexArchive(records: readonly StackRecord[]): ArchiveIndex {
  const referred = collectReferred(records);
  const known = collectKnownIds(records, referred);
  const find = (record: StackRecord): readonly Reference[] => {
    const kind = findKind(record.kind);
    return kind ? findReferences(kind, record.body, known) : [];
  };
  return {
    records,
    byKind: groupBy(records, (record) => record.kind),
    byKey: new Map(records.map((record) => [recordKey(record.kind, record.id), record])),
    known,
    references: new Map(records.map((record) => [recordKey(record.kind, record.id), find(record)])),
    referred,
  };
}

/** What a record of the archive points to. */
export function referencesOf(archive: ArchiveIndex, record: StackRecord): readonly Reference[] {
  return archive.references.get(recordKey(record.kind, record.id)) ?? [];
}

function collectReferred(records: readonly StackRecord[]): Map<IdSpace, Set<string>> {
  const referred = new Map<IdSpace, Set<string>>();
  for (const record of records) {
    for (const { path, to } of findKind(record.kind)?.references ?? []) {
      if (to.includes("/")) continue;
      const ids = referred.get(to) ?? new Set();
      for (const { value } of placesAt(record.body, path)) if (typeof value === "string") ids.add(value);
      referred.set(to, ids);
    }
  }
  return referred;
}
