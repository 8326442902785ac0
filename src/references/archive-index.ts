import { getOrMake, groupBy } from "../core/collections.ts";
import { yieldToEventLoop } from "../core/event-loop.ts";
import type { KnownIds } from "../core/plan/id-map.ts";
import type { JsonObject } from "../core/json.ts";
import { visitValues } from "../core/records/member-path.ts";
import {
  keyOfRecord,
  recordKey,
  type KindName,
  type RecordKey,
  type StackRecord,
  type Variant,
} from "../core/records/record.ts";
import type { Assumption, IdSpace, ResourceKind } from "../core/resource-kind.ts";
import { findKind } from "../kinds/registry.ts";
import { findRefusedValues } from "../kinds/limits.ts";
import { strongComponents } from "./cycles.ts";
import { collectKnownIds } from "./known-ids.ts";
import {
  embeddedTarget,
  findReferences,
  surveyReferences,
  type Reference,
  type ReferenceTarget,
} from "./references.ts";
import { substitutesIn, type Substitute } from "./hidden-content.ts";

/**
 * The archive's records, indexed for the planner. The index grows with the number of distinct referenced records, not with the
 * number of references.
 */
export interface ArchiveIndex {
  readonly records: readonly StackRecord[];
  readonly byKind: ReadonlyMap<KindName, readonly StackRecord[]>;
  readonly byKey: ReadonlyMap<RecordKey, StackRecord>;
  readonly knownIds: KnownIds;
  /** For each record: the targets of its references, each target once, in the order in which they first occur. */
  readonly referenceTargets: ReadonlyMap<RecordKey, readonly ReferenceTarget[]>;
  /** The links between the records. Computed at the first call, because a comparison of two stacks does not need them. */
  readonly links: () => ArchiveLinks;
  /** Referenced ids by space, including ids of records that the archive lacks (connections, webhooks of a managed stack). */
  readonly referencedIds: ReadonlyMap<IdSpace, ReadonlySet<string>>;
  /** Records with a text that may contain the placeholder of a redacted secret. */
  readonly redactedRecords: ReadonlySet<RecordKey>;
  /** Records that exceed a limit of the API, so that a write would refuse them unchanged. */
  readonly recordsOverLimits: ReadonlySet<RecordKey>;
  /** For each record: the values that are written although the source's answer did not contain them. */
  readonly assumptions: ReadonlyMap<RecordKey, readonly Assumption[]>;
  /** Records that the target may refuse to create because of other records that they reference. */
  readonly refusableForReferences: ReadonlySet<RecordKey>;
  /** By record: the children that the API returned in place of hidden children. Empty if the source's variant is unknown. */
  readonly substitutes: ReadonlyMap<RecordKey, readonly Substitute[]>;
}

/** Indexes all records in one pass, because each pass may read from disk. A second pass follows only if a text mentions an id. */
export async function indexArchive(
  records: readonly StackRecord[],
  from?: Variant,
  signal?: AbortSignal,
): Promise<ArchiveIndex> {
  const distinct = distinctTargets();
  const { surveyed, mentioned, ...found } = await surveyRecords(records, distinct, from, signal);
  const knownIds = collectKnownIds(
    records,
    surveyed.flatMap(({ declared }) => declared),
    mentioned,
  );
  const embeddedTargets = (id: string): readonly ReferenceTarget[] => {
    const found = knownIds.get(id);
    return found === undefined ? [] : [embeddedTarget(found)];
  };
  const referenceTargets = new Map(
    surveyed.map(({ key, declared, ids }) => [key, distinct([...declared, ...ids.flatMap(embeddedTargets)])]),
  );
  let links: ArchiveLinks | undefined;
  return {
    records,
    byKind: groupBy(records, (record) => record.kind),
    byKey: new Map(records.map((record) => [keyOfRecord(record), record])),
    knownIds,
    referenceTargets,
    links: () => (links ??= archiveLinks(referenceTargets)),
    ...found,
  };
}

/** Returns the targets of a record's references. */
export function referenceTargetsOf(archive: ArchiveIndex, record: StackRecord): readonly ReferenceTarget[] {
  return archive.referenceTargets.get(keyOfRecord(record)) ?? [];
}

/** Finds all references of a record. The result is not cached, because an archive may have millions of references. */
export function referencesOf(
  { knownIds }: Pick<ArchiveIndex, "knownIds">,
  { kind: name, body }: StackRecord,
): readonly Reference[] {
  const kind = findKind(name);
  return kind ? findReferences(kind, body, knownIds) : [];
}

/** Makes a function that removes duplicate targets of a record. Equal targets of all records share one object, to save memory. */
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

/** Collects, in one pass over the records, everything that the index holds about them, and the ids that their texts mention. */
async function surveyRecords(
  records: readonly StackRecord[],
  distinct: ReturnType<typeof distinctTargets>,
  from: Variant | undefined,
  signal: AbortSignal | undefined,
) {
  const referencedIds = new Map<IdSpace, Set<string>>();
  const redactedRecords = new Set<RecordKey>();
  const recordsOverLimits = new Set<RecordKey>();
  const assumptions = new Map<RecordKey, readonly Assumption[]>();
  const refusableForReferences = new Set<RecordKey>();
  const substitutes = new Map<RecordKey, readonly Substitute[]>();
  const texts = detachedTexts();
  /** By record: its declared references, and the ids that its texts mention. */
  const surveyed: { key: RecordKey; declared: readonly ReferenceTarget[]; ids: readonly string[] }[] = [];
  for (const { kind: name, id, body } of records) {
    const kind = findKind(name);
    if (!kind) continue;
    const key = recordKey(name, id);
    collectReferencedIds(kind, body, referencedIds);
    const { declared, mentioned, isRedacted } = surveyReferences(kind, body);
    if (isRedacted) redactedRecords.add(key);
    if (findRefusedValues(kind, body).length > 0) recordsOverLimits.add(key);
    const silent = kind.assumed?.(body) ?? [];
    if (silent.length > 0) assumptions.set(key, silent);
    if (mayBeRefusedForReferences(kind, body)) refusableForReferences.add(key);
    const found = from === undefined ? [] : substitutesIn({ kind: name, body }, from);
    if (found.length > 0) substitutes.set(key, found);
    surveyed.push({ key, declared: distinct(declared), ids: [...mentioned].map(texts.copyOf) });
    await yieldToEventLoop(signal);
  }
  return {
    surveyed,
    referencedIds,
    mentioned: texts.copies(),
    redactedRecords,
    recordsOverLimits,
    assumptions,
    refusableForReferences,
    substitutes,
  };
}

/** Tells whether the target may refuse to create a record with this body because of other records that the body references. */
function mayBeRefusedForReferences({ refusedForReferences = {} }: ResourceKind, body: JsonObject): boolean {
  let isAsked = false;
  const find = (): undefined => {
    isAsked = true;
  };
  for (const refuse of Object.values(refusedForReferences)) refuse(body, find);
  return isAsked;
}

/** Collects the ids at all declared places, even at places where the condition of the declaration does not hold. */
function collectReferencedIds(kind: ResourceKind, body: JsonObject, referencedIds: Map<IdSpace, Set<string>>): void {
  for (const { path, to } of kind.references) {
    if (to.includes("/")) continue;
    const ids = getOrMake(referencedIds, to, () => new Set());
    visitValues(body, path, (value) => {
      if (typeof value === "string") ids.add(value);
    });
  }
}

/** Stores one copy of each id found in a text. A slice of the text would keep the whole text in memory. */
function detachedTexts(): { copyOf: (found: string) => string; copies: () => ReadonlySet<string> } {
  const copies = new Map<string, string>();
  return {
    copyOf: (found) => {
      const copy = copies.get(found) ?? Buffer.from(found, "latin1").toString("latin1");
      copies.set(copy, copy);
      return copy;
    },
    copies: () => new Set(copies.keys()),
  };
}

export interface ArchiveLinks {
  /** By record: the records that reference it, each once. */
  readonly dependents: ReadonlyMap<RecordKey, ReadonlySet<RecordKey>>;
  /** The number of each record's strongly connected component: its records reference each other, directly or indirectly. */
  readonly componentOf: ReadonlyMap<RecordKey, number>;
}

function archiveLinks(referenceTargets: ReadonlyMap<RecordKey, readonly ReferenceTarget[]>): ArchiveLinks {
  const linkedRecords = (key: RecordKey): RecordKey[] =>
    (referenceTargets.get(key) ?? []).flatMap(({ record }) => (record ? [record] : []));
  const dependents = new Map<RecordKey, Set<RecordKey>>();
  for (const dependent of referenceTargets.keys()) {
    for (const key of linkedRecords(dependent)) getOrMake(dependents, key, () => new Set<RecordKey>()).add(dependent);
  }
  return { dependents, componentOf: strongComponents(referenceTargets.keys(), linkedRecords) };
}
