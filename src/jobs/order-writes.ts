import type { RecordKey } from "../domain/record.ts";
import { reaches } from "./reaches.ts";

/** What a record that is written needs of others that are written. */
export interface Needs {
  /** Cannot be left out of the first write. */
  readonly hard: ReadonlySet<RecordKey>;
  /** Can be added by a second write. */
  readonly soft: ReadonlySet<RecordKey>;
}

/** When a record can be written, and which of its links have to wait for a second write. */
export interface WriteOrder {
  readonly dependsOn: readonly RecordKey[];
  readonly linksTo: readonly RecordKey[];
}

/**
 * Orders writes so that nothing waits for itself. Soft needs become dependencies, one after the other, as long as that
 * closes no cycle; those that would are second writes. So a cycle costs as few extra requests as the order finds.
 */
export function orderWrites(needs: ReadonlyMap<RecordKey, Needs>): Map<RecordKey, WriteOrder> {
  const edges = new Map<RecordKey, Set<RecordKey>>();
  for (const [key, { hard }] of needs) edges.set(key, new Set(hard));
  const later = new Map<RecordKey, RecordKey[]>();
  for (const [key, { soft }] of needs) {
    for (const target of soft) {
      if (reaches(target, key, (node) => edges.get(node) ?? [])) later.set(key, [...(later.get(key) ?? []), target]);
      else edges.get(key)?.add(target);
    }
  }
  return new Map(
    [...needs.keys()].map((key) => [key, { dependsOn: [...(edges.get(key) ?? [])], linksTo: later.get(key) ?? [] }]),
  );
}
