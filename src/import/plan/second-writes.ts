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
 * of sources (logs ↔ traces ↔ sessions) it is the traces alone. Of many records that are all linked to each other it is a good
 * choice, and perhaps not the best.
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
  if (members.length < 2) return [];
  if (soft.length > MOST_SEARCHED) return mostLinked(members, needs);
  // Of two that serve as well, the later record waits.
  return subsetsBySize(soft.toReversed()).find((waiting) => isAcyclic(members, needs, new Set(waiting))) ?? [];
}

/**
 * Lets the record wait through which the most cycles seem to go, by the number of its links, until no cycle is left (a greedy
 * feedback vertex set). One that was not needed costs no write: only links that close a cycle are postponed.
 */
function mostLinked(members: readonly RecordKey[], needs: ReadonlyMap<RecordKey, Needs>): RecordKey[] {
  const links = linksAmong(members, needs);
  const waiting: RecordKey[] = [];
  for (;;) {
    removeEnds(links);
    let [most, cycles]: [RecordKey | undefined, number] = [undefined, 0];
    for (const [key, { soft, from }] of links) {
      if (soft.size * from.size > cycles) [most, cycles] = [key, soft.size * from.size];
    }
    if (most === undefined) return waiting;
    waiting.push(most);
    for (const target of links.get(most)?.soft ?? []) unlink(links, most, target);
  }
}

interface OwnLinks extends Needs {
  readonly hard: Set<RecordKey>;
  readonly soft: Set<RecordKey>;
  /** What leads to it. */
  readonly from: Set<RecordKey>;
}

function linksAmong(members: readonly RecordKey[], needs: ReadonlyMap<RecordKey, Needs>): Map<RecordKey, OwnLinks> {
  const within = new Set(members);
  const links = new Map<RecordKey, OwnLinks>();
  for (const key of members) {
    const { hard = [], soft = [] } = needs.get(key) ?? {};
    const own = new Set([...hard].filter((target) => within.has(target)));
    const others = new Set([...soft].filter((target) => within.has(target) && !own.has(target)));
    links.set(key, { hard: own, soft: others, from: new Set() });
  }
  for (const [key, { hard, soft }] of links) for (const target of [...hard, ...soft]) links.get(target)?.from.add(key);
  return links;
}

/** Takes out what is in no cycle: nothing leads to it, or it leads nowhere. */
function removeEnds(links: Map<RecordKey, OwnLinks>): void {
  const open = [...links.keys()];
  for (let key = open.pop(); key !== undefined; key = open.pop()) {
    const own = links.get(key);
    if (own === undefined || (own.hard.size + own.soft.size > 0 && own.from.size > 0)) continue;
    const targets = [...own.hard, ...own.soft];
    open.push(...targets, ...own.from);
    for (const target of targets) unlink(links, key, target);
    for (const source of own.from) unlink(links, source, key);
    links.delete(key);
  }
}

function unlink(links: Map<RecordKey, OwnLinks>, from: RecordKey, to: RecordKey): void {
  links.get(from)?.hard.delete(to);
  links.get(from)?.soft.delete(to);
  links.get(to)?.from.delete(from);
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
