import { getOrMake } from "../../core/collections.ts";
import type { RecordKey } from "../../core/records/record.ts";

export interface WriteNeeds {
  /** Records that must be written before the first write of the record. */
  readonly hard: ReadonlySet<RecordKey>;
  /** Records to which a second write can add the links. */
  readonly soft: ReadonlySet<RecordKey>;
}

/** `dependsOn`: the records that are written before the record. `linksTo`: the records to which a second write adds the links. */
export interface WriteOrder {
  readonly dependsOn: readonly RecordKey[];
  readonly linksTo: readonly RecordKey[];
}

/**
 * Orders writes so that no record waits for itself. A deferrable reference becomes a dependency, unless the dependency would close
 * a cycle. In that case a second write adds the reference.
 */
export function orderWrites(needs: ReadonlyMap<RecordKey, WriteNeeds>): Map<RecordKey, WriteOrder> {
  const edges = new Map([...needs].map(([key, { hard }]) => [key, new Set(hard)]));
  const later = new Map<RecordKey, RecordKey[]>();
  // The record with the most links comes last. So an index of many dashboards that link back to it is written twice, and each of
  // the dashboards only once.
  const mostLinksLast = [...needs].toSorted(([, left], [, right]) => left.soft.size - right.soft.size);
  for (const [key, { soft }] of mostLinksLast) {
    for (const target of soft) {
      if (leadsTo(target, key, edges)) getOrMake(later, key, () => []).push(target);
      else edges.get(key)?.add(target);
    }
  }
  return new Map(
    [...needs.keys()].map((key) => [key, { dependsOn: [...(edges.get(key) ?? [])], linksTo: later.get(key) ?? [] }]),
  );
}

function leadsTo(from: RecordKey, to: RecordKey, edges: ReadonlyMap<RecordKey, ReadonlySet<RecordKey>>): boolean {
  const reached = new Set([from]);
  // A set that grows while it is walked through also yields what was added.
  for (const key of reached) {
    if (key === to) return true;
    for (const next of edges.get(key) ?? []) reached.add(next);
  }
  return false;
}
