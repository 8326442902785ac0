import { getOrMake, groupBy } from "../core/collections.ts";
import { yieldToEventLoop } from "../core/event-loop.ts";
import type { KnownId, KnownIds } from "../core/plan/id-map.ts";
import {
  keyOfRecord,
  labelOf,
  recordKey,
  type KindName,
  type RecordKey,
  type StackRecord,
} from "../core/records/record.ts";
import type { IdSpace } from "../core/resource-kind.ts";
import { findKind } from "../kinds/registry.ts";
import { childIdOf, childrenOf } from "./children.ts";
import { makeKnownId } from "./known-ids.ts";
import {
  embeddedTarget,
  findReferences,
  surveyReferences,
  type Reference,
  type ReferenceTarget,
} from "./references.ts";

/** Merges equal references of a record, because an archive may have millions of references. */
export interface ArchiveIndex {
  readonly records: readonly StackRecord[];
  readonly byKind: ReadonlyMap<KindName, readonly StackRecord[]>;
  readonly byKey: ReadonlyMap<RecordKey, StackRecord>;
  readonly knownIds: KnownIds;
  readonly referenceTargets: ReadonlyMap<RecordKey, readonly ReferenceTarget[]>;
  /** Computed at the first call, because a comparison of two stacks does not need dependents. */
  readonly dependents: () => ReadonlyMap<RecordKey, ReadonlySet<RecordKey>>;
  /** Ids of declared references. The archive may lack their records, such as connections. */
  readonly referencedIds: ReadonlyMap<IdSpace, ReadonlySet<string>>;
}

/** Texts are resolved in a second step, because the known ids come from all records. */
export async function indexArchive(records: readonly StackRecord[], signal?: AbortSignal): Promise<ArchiveIndex> {
  const distinct = distinctTargets();
  const surveyed: { key: RecordKey; declared: readonly ReferenceTarget[]; mentioned: readonly string[] }[] = [];
  const referencedIds = new Map<IdSpace, Set<string>>();
  for (const record of records) {
    const kind = findKind(record.kind);
    if (!kind) continue;
    const { declared, mentioned } = surveyReferences(kind, record.body);
    surveyed.push({ key: keyOfRecord(record), declared: distinct(declared), mentioned: [...mentioned] });
    for (const { space, id } of declared) {
      if (!space.includes("/")) getOrMake(referencedIds, space, () => new Set<string>()).add(id);
    }
    await yieldToEventLoop(signal);
  }
  const knownIds = collectKnownIds(
    records,
    surveyed.flatMap(({ declared }) => declared),
    new Set(surveyed.flatMap(({ mentioned }) => mentioned)),
  );
  const embeddedTargets = (id: string): readonly ReferenceTarget[] => {
    const found = knownIds.get(id);
    return found === undefined ? [] : [embeddedTarget(found)];
  };
  const referenceTargets = new Map(
    surveyed.map(({ key, declared, mentioned }) => [
      key,
      distinct([...declared, ...mentioned.flatMap(embeddedTargets)]),
    ]),
  );
  let dependents: ReturnType<typeof dependentsIn> | undefined;
  return {
    records,
    byKind: groupBy(records, (record) => record.kind),
    byKey: new Map(records.map((record) => [keyOfRecord(record), record])),
    knownIds,
    referenceTargets,
    dependents: () => (dependents ??= dependentsIn(referenceTargets)),
    referencedIds,
  };
}

export function referenceTargetsOf(archive: ArchiveIndex, record: StackRecord): readonly ReferenceTarget[] {
  const key = keyOfRecord(record);
  return archive.byKey.get(key) === record ? (archive.referenceTargets.get(key) ?? []) : referencesOf(archive, record);
}

/** Returns the id for a child, and for a record that the archive lacks. */
export function nameOfReferenceTarget(
  { space, id }: Pick<ReferenceTarget, "space" | "id">,
  archive: ArchiveIndex,
): string {
  const record = archive.byKey.get(recordKey(space, id));
  return record === undefined ? (id.split("/").at(-1) ?? id) : labelOf(record);
}

/** Not cached, because an archive may have millions of references. */
export function referencesOf(
  { knownIds }: Pick<ArchiveIndex, "knownIds">,
  { kind: name, body }: StackRecord,
): readonly Reference[] {
  const kind = findKind(name);
  return kind ? findReferences(kind, body, knownIds) : [];
}

/** Equal references of different records share one object, to save memory. */
function distinctTargets(): (referenceTargets: readonly ReferenceTarget[]) => readonly ReferenceTarget[] {
  const shared = new Map<string, ReferenceTarget>();
  return (referenceTargets) => {
    const found = referenceTargets.map(({ space, id, record, serverValidated, form, deferrable, optional }) => {
      const key = `${form} ${serverValidated} ${deferrable} ${optional} ${space} ${id}`;
      return getOrMake(shared, key, () => ({ space, id, record, serverValidated, form, deferrable, optional }));
    });
    return [...new Set(found)];
  };
}

/**
 * Texts mention about one child in a thousand, so unmentioned ids are left out to save memory.
 * @param mentioned the ids in texts, in lower case
 */
function collectKnownIds(
  records: Iterable<StackRecord>,
  declared: Iterable<KnownId>,
  mentioned: ReadonlySet<string>,
): KnownIds {
  const knownIds = new Map<string, KnownId>();
  if (mentioned.size === 0) return knownIds;
  const add = (id: string, space: IdSpace, owner?: string): void => {
    const token = id.toLowerCase();
    if (mentioned.has(token) && !knownIds.has(token)) knownIds.set(token, makeKnownId(space, id, owner));
  };
  for (const record of records) {
    const kind = findKind(record.kind);
    if (!kind) continue;
    add(record.id, record.kind);
    for (const children of kind.children)
      for (const child of childrenOf(record.body, children)) add(childIdOf(child), children.space, record.id);
  }
  for (const { space, id } of declared) if (!space.includes("/")) add(id, space);
  return knownIds;
}

function dependentsIn(
  referenceTargets: ReadonlyMap<RecordKey, readonly ReferenceTarget[]>,
): Map<RecordKey, Set<RecordKey>> {
  const dependents = new Map<RecordKey, Set<RecordKey>>();
  for (const [dependent, targets] of referenceTargets) {
    for (const { record } of targets) {
      if (record !== undefined) getOrMake(dependents, record, () => new Set<RecordKey>()).add(dependent);
    }
  }
  return dependents;
}
