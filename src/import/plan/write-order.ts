import { getOrMake } from "../../core/collections.ts";
import type { RecordKey } from "../../core/records/record.ts";

export interface WriteNeeds {
  /** Must be written before the first write of the record. */
  readonly hard: ReadonlySet<RecordKey>;
  /** A second write can add the links to these records. */
  readonly soft: ReadonlySet<RecordKey>;
}

export interface WriteOrder {
  readonly dependsOn: readonly RecordKey[];
  readonly linksTo: readonly RecordKey[];
}

/** A deferrable reference that would close a cycle waits for a second write. */
export function orderWrites(needs: ReadonlyMap<RecordKey, WriteNeeds>): Map<RecordKey, WriteOrder> {
  const edges = new Map([...needs].map(([key, { hard }]) => [key, new Set(hard)]));
  const later = new Map<RecordKey, RecordKey[]>();
  // Records with many links come last: an index of dashboards that link back is written twice, each dashboard once.
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
  for (const key of reached) {
    if (key === to) return true;
    for (const next of edges.get(key) ?? []) reached.add(next);
  }
  return false;
}
