import type { RecordKey } from "../domain/record.ts";
import { getOrMake } from "./get-or-make.ts";
import { groupBy } from "./group-by.ts";
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
  const users = new Map<RecordKey, Set<RecordKey>>();
  const add = (key: RecordKey, target: RecordKey): void => {
    getOrMake(edges, key, () => new Set<RecordKey>()).add(target);
    getOrMake(users, target, () => new Set<RecordKey>()).add(key);
  };
  for (const [key, { hard }] of needs) for (const target of hard) add(key, target);
  const later: { readonly key: RecordKey; readonly target: RecordKey }[] = [];
  for (const [key, { soft }] of needs) {
    for (const target of soft) {
      const isCircle = reaches(
        target,
        key,
        (node) => edges.get(node) ?? [],
        (node) => users.get(node) ?? [],
      );
      if (isCircle) later.push({ key, target });
      else add(key, target);
    }
  }
  const waiting = groupBy(later, ({ key }) => key);
  return new Map(
    [...needs.keys()].map((key) => {
      const linksTo = (waiting.get(key) ?? []).map(({ target }) => target);
      return [key, { dependsOn: [...(edges.get(key) ?? [])], linksTo }];
    }),
  );
}
