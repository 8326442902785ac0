import { groupBy } from "../../core/collections.ts";
import type { RecordKey } from "../../core/records/record.ts";
import { stronglyConnected } from "../../references/cycles.ts";

/** What a record that is written needs of others that are written. */
export interface Needs {
  /** Cannot be left out of the first write. */
  readonly hard: ReadonlySet<RecordKey>;
  /** Can be added by a second write. */
  readonly soft: ReadonlySet<RecordKey>;
}

/** A component of more records is not searched for its best choice: the search doubles with each of them. */
const MOST_SEARCHED = 12;

/**
 * The fewest records whose links can wait for a second write so that all the others can be written in one. In the usual cycle
 * of sources (logs ↔ traces ↔ sessions) it is the traces alone. Components of many records are left to the order of the archive.
 */
export function fewestSecondWrites(needs: ReadonlyMap<RecordKey, Needs>): ReadonlySet<RecordKey> {
  const all = (key: RecordKey): RecordKey[] => {
    const { hard, soft } = needs.get(key) ?? { hard: [], soft: [] };
    return [...hard, ...soft].filter((target) => needs.has(target));
  };
  const components = groupBy([...stronglyConnected(needs.keys(), all)], ([, component]) => component);
  return new Set(
    [...components.values()].flatMap((members) =>
      fewestOf(
        members.map(([key]) => key),
        needs,
      ),
    ),
  );
}

function fewestOf(members: readonly RecordKey[], needs: ReadonlyMap<RecordKey, Needs>): readonly RecordKey[] {
  const soft = members.filter((key) => (needs.get(key)?.soft.size ?? 0) > 0);
  if (members.length < 2 || soft.length > MOST_SEARCHED) return [];
  // Of two that serve as well, the later record waits.
  return subsetsBySize(soft.toReversed()).find((waiting) => isAcyclic(members, needs, new Set(waiting))) ?? [];
}

function subsetsBySize(keys: readonly RecordKey[]): RecordKey[][] {
  const subsets = Array.from({ length: 2 ** keys.length }, (_, bits) =>
    keys.filter((_key, at) => (bits >> at) % 2 === 1),
  );
  return subsets.toSorted((one, other) => one.length - other.length);
}

function isAcyclic(
  members: readonly RecordKey[],
  needs: ReadonlyMap<RecordKey, Needs>,
  waiting: ReadonlySet<RecordKey>,
): boolean {
  const within = new Set(members);
  const targets = (key: RecordKey): RecordKey[] => {
    const { hard = [], soft = [] } = needs.get(key) ?? {};
    return [...hard, ...(waiting.has(key) ? [] : soft)].filter((target) => within.has(target));
  };
  const components = stronglyConnected(members, targets);
  return new Set(components.values()).size === members.length && members.every((key) => !targets(key).includes(key));
}
