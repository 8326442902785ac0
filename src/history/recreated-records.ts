import { groupBy } from "../core/collections.ts";
import { IdMap } from "../core/plan/id-map.ts";
import type { StackRecord } from "../core/records/record.ts";
import type { ResourceKind } from "../core/resource-kind.ts";
import { isDamageError } from "../import/read/damaged-records.ts";
import { kinds } from "../kinds/registry.ts";
import { mapChildrenByIdentity } from "../references/map-children.ts";
import { findReferences, rewriteReferences } from "../references/references.ts";
import type { RecordDifference } from "./find-differences.ts";
import type { OpenArchives } from "./open-archives.ts";

/** A record that was removed and added again: the server gave it a new id. */
export interface RecreatedRecord {
  readonly removed: RecordDifference;
  readonly added: RecordDifference;
  /** The version before, in which the ids of records that were created again are the new ones. */
  readonly before: StackRecord;
  readonly after: StackRecord;
}

/**
 * Finds the records that were removed and added again between two backups: records of one kind, name and natural key. Kinds come in
 * the order of their references, so an alert is recognised on a dashboard that was created again, too. Reads only the records of a
 * name that was both removed and added.
 */
export async function findRecreated(
  differences: readonly RecordDifference[],
  archives: OpenArchives,
): Promise<RecreatedRecord[]> {
  const ids = new IdMap();
  const found: RecreatedRecord[] = [];
  for (const kind of kinds) {
    const ofKind = differences.filter(({ last }) => last.entry.kind === kind.name);
    for (const group of groupBy(ofKind, ({ last }) => last.entry.name).values()) {
      const pairs = await pairsOf(kind, group, ids, archives);
      for (const { removed, before, after } of pairs) {
        const { id } = removed.last.entry;
        const children = mapChildrenByIdentity(kind, id, before.body, after.body);
        for (const { space, from, to } of [{ space: kind.name, from: id, to: after.id }, ...children])
          ids.set(space, from, to);
      }
      found.push(...pairs);
    }
  }
  return found;
}

/** Pairs the removed and the added records of one name: by the strictest natural key that only one record of each has. */
async function pairsOf(
  kind: ResourceKind,
  group: readonly RecordDifference[],
  ids: IdMap,
  archives: OpenArchives,
): Promise<RecreatedRecord[]> {
  const removed = group.filter(({ after }) => after === undefined);
  const added = group.filter(({ before }) => before === undefined);
  if (removed.length === 0 || added.length === 0) return [];
  const [before, after] = [await readAll(removed, archives), await readAll(added, archives)];
  const pairs: RecreatedRecord[] = [];
  for (const keyOf of kind.naturalKeys) {
    const [left, right] = [
      groupBy(before, ([, { body }]) => keyOf(inNewIds(kind, body, ids))),
      groupBy(after, ([, { body }]) => keyOf(body)),
    ];
    for (const [key, [first, ...more]] of left) {
      const [counterpart, ...others] = right.get(key) ?? [];
      if (key === undefined || first === undefined || counterpart === undefined) continue;
      if (more.length + others.length > 0) continue;
      before.delete(first[0]);
      after.delete(counterpart[0]);
      const translated = { ...first[1], body: inNewIds(kind, first[1].body, ids) };
      pairs.push({ removed: first[0], added: counterpart[0], before: translated, after: counterpart[1] });
    }
  }
  return pairs;
}

/** Reads the records that can be read: the change of a damaged one is reported without its content. */
async function readAll(
  differences: readonly RecordDifference[],
  archives: OpenArchives,
): Promise<Map<RecordDifference, StackRecord>> {
  const records = new Map<RecordDifference, StackRecord>();
  for (const difference of differences) {
    try {
      records.set(difference, await archives.read(difference.last));
    } catch (error) {
      if (!isDamageError(error)) throw error;
    }
  }
  return records;
}

function inNewIds(kind: ResourceKind, body: StackRecord["body"], ids: IdMap): StackRecord["body"] {
  return rewriteReferences(body, findReferences(kind, body, new Map()), ids, new Map());
}
