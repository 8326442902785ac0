import type { KnownIds } from "../domain/id-map.ts";
import { visitValues } from "../domain/member-path.ts";
import { recordKey } from "../domain/record.ts";
import type { KindName, RecordKey, StackRecord } from "../domain/record.ts";
import type { IdSpace } from "../domain/resource-kind.ts";
import { findKind } from "../kinds/registry.ts";
import { groupBy } from "./group-by.ts";
import { collectKnownIds } from "./known-ids.ts";
import { findReferences, mentionedIds } from "./references.ts";
import type { Reference, Referent } from "./references.ts";

/** The archive's records as the planner looks at them. It grows with what they point to, not with the places that do. */
export interface ArchiveIndex {
  readonly records: readonly StackRecord[];
  readonly byKind: ReadonlyMap<KindName, readonly StackRecord[]>;
  readonly byKey: ReadonlyMap<RecordKey, StackRecord>;
  readonly known: KnownIds;
  /** What each record points to, each thing once, in the order in which it is first pointed to. */
  readonly referents: ReadonlyMap<RecordKey, readonly Referent[]>;
  /** Ids that records point to, by space: some are no records of the archive (connections, webhooks of a managed stack). */
  readonly referred: ReadonlyMap<IdSpace, ReadonlySet<string>>;
}

/** Looks through all records. */
export function indexArchive(records: readonly StackRecord[]): ArchiveIndex {
  const { referred, mentioned } = collectIds(records);
  const known = collectKnownIds(records, referred, mentioned);
  const distinct = distinctReferents();
  const referentsIn = (record: StackRecord): readonly Referent[] => distinct(referencesOf({ known }, record));
  return {
    records,
    byKind: groupBy(records, (record) => record.kind),
    byKey: new Map(records.map((record) => [recordKey(record.kind, record.id), record])),
    known,
    referents: new Map(records.map((record) => [recordKey(record.kind, record.id), referentsIn(record)])),
    referred,
  };
}

/** What a record of the archive points to. */
export function referentsOf(archive: ArchiveIndex, record: StackRecord): readonly Referent[] {
  return archive.referents.get(recordKey(record.kind, record.id)) ?? [];
}

/** Every place in a record of the archive that points to something: found anew each time, as there may be millions. */
export function referencesOf(
  { known }: Pick<ArchiveIndex, "known">,
  { kind: name, body }: StackRecord,
): readonly Reference[] {
  const kind = findKind(name);
  return kind ? findReferences(kind, body, known) : [];
}

/** What references lead to. Two records that point to the same share one object: every tile there is may use one source. */
function distinctReferents(): (references: readonly Reference[]) => readonly Referent[] {
  const shared = new Map<string, Referent>();
  return (references) => {
    const found = references.map(({ space, id, record, checked, form, deferrable }) => {
      const key = `${form} ${checked} ${deferrable} ${space} ${id}`;
      const referent = shared.get(key) ?? { space, id, record, checked, form, deferrable };
      shared.set(key, referent);
      return referent;
    });
    return [...new Set(found)];
  };
}

/** A copy of what was found in a text: a slice of it would keep all of it in memory. */
function detached(id: string): string {
  return Buffer.from(id, "latin1").toString("latin1");
}

interface ArchiveIds {
  readonly referred: ReadonlyMap<IdSpace, ReadonlySet<string>>;
  readonly mentioned: ReadonlySet<string>;
}

/** Ids that records point to where references are declared, and ids in any other text. */
function collectIds(records: readonly StackRecord[]): ArchiveIds {
  const referred = new Map<IdSpace, Set<string>>();
  const mentioned = new Set<string>();
  for (const { kind: name, body } of records) {
    const kind = findKind(name);
    if (!kind) continue;
    for (const { path, to } of kind.references) {
      if (to.includes("/")) continue;
      const ids = referred.get(to) ?? new Set();
      visitValues(body, path, (value) => {
        if (typeof value === "string") ids.add(value);
      });
      referred.set(to, ids);
    }
    for (const id of mentionedIds(kind, body)) if (!mentioned.has(id)) mentioned.add(detached(id));
  }
  return { referred, mentioned };
}
