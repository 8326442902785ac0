import type { KnownIds } from "../domain/id-map.ts";
import { recordKey } from "../domain/record.ts";
import type { KindName, RecordKey, StackRecord } from "../domain/record.ts";
import type { IdSpace } from "../domain/resource-kind.ts";
import { findKind } from "../kinds/registry.ts";
import { archiveLinks } from "./archive-links.ts";
import type { ArchiveLinks } from "./archive-links.ts";
import { groupBy } from "./group-by.ts";
import { collectKnownIds } from "./known-ids.ts";
import { embeddedReferent, findReferences } from "./references.ts";
import type { Reference, Referent } from "./references.ts";
import { distinctReferents, surveyRecords } from "./survey-records.ts";

/** The archive's records as the planner looks at them. It grows with what they point to, not with the places that do. */
export interface ArchiveIndex {
  readonly records: readonly StackRecord[];
  readonly byKind: ReadonlyMap<KindName, readonly StackRecord[]>;
  readonly byKey: ReadonlyMap<RecordKey, StackRecord>;
  readonly known: KnownIds;
  /** What each record points to, each thing once, in the order in which it is first pointed to. */
  readonly referents: ReadonlyMap<RecordKey, readonly Referent[]>;
  /** Found when first asked for: a comparison needs none of it. */
  readonly links: () => ArchiveLinks;
  /** Ids that records point to, by space: some are no records of the archive (connections, webhooks of a managed stack). */
  readonly referred: ReadonlyMap<IdSpace, ReadonlySet<string>>;
  /** Records of which some text may hold a placeholder. */
  readonly redacted: ReadonlySet<RecordKey>;
}

/** Looks once through all records, as bodies may have to be read from the disk; again for parts where any text mentions an id. */
export function indexArchive(records: readonly StackRecord[]): ArchiveIndex {
  const distinct = distinctReferents();
  const { surveyed, referred, mentioned, redacted } = surveyRecords(records, distinct);
  const known = collectKnownIds(records, referred, mentioned);
  const embedded = (id: string): readonly Referent[] => {
    const found = known.get(id);
    return found === undefined ? [] : [embeddedReferent(found)];
  };
  const referents = new Map(
    surveyed.map(({ key, declared, ids }) => [key, distinct([...declared, ...ids.flatMap(embedded)])]),
  );
  let links: ArchiveLinks | undefined;
  return {
    records,
    byKind: groupBy(records, (record) => record.kind),
    byKey: new Map(records.map((record) => [recordKey(record.kind, record.id), record])),
    known,
    referents,
    links: () => (links ??= archiveLinks(referents)),
    referred,
    redacted,
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
