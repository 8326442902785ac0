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

/** So much is looked at for one component before a good choice has to do: some tenths of a second. A look takes as the square of its records. */
const MAX_WORK = 4_000_000;

/**
 * The fewest records whose links can wait for a second write so that all the others can be written in one. In the usual cycle
 * of sources (logs ↔ traces ↔ sessions) it is the traces alone. Of dozens of records that are all linked to each other it is a
 * good choice, and perhaps not the best.
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

/** Tries none, one, two … records, the later ones first, as of two that serve as well the later waits. */
function fewestOf(members: readonly RecordKey[], needs: ReadonlyMap<RecordKey, Needs>): readonly RecordKey[] {
  if (members.length < 2) return [];
  const good = mostLinked(members, needs);
  const left = { looks: MAX_WORK / members.length ** 2 };
  const links = linksAmong(members.toReversed(), needs);
  for (let most = 0; most <= good.length && left.looks > 0; most += 1) {
    const found = atMost(most, links, new Set(), left);
    if (found !== undefined) return found;
  }
  return good;
}

/** So many records at most whose links wait, so that no cycle is left; undefined where there are none. Some record of each cycle has to. */
function atMost(
  most: number,
  given: ReadonlyMap<RecordKey, OwnLinks>,
  ruledOut: ReadonlySet<RecordKey>,
  left: { looks: number },
): RecordKey[] | undefined {
  left.looks -= 1;
  const links = copyOf(given);
  removeEnds(links);
  if (links.size === 0) return [];
  if (most === 0 || left.looks <= 0) return undefined;
  const tried = new Set(ruledOut);
  for (const key of shortestCycle(links)) {
    if (tried.has(key)) continue;
    const without = copyOf(links);
    for (const target of links.get(key)?.soft ?? []) unlink(without, key, target);
    const others = atMost(most - 1, without, tried, left);
    if (others !== undefined) return [key, ...others];
    tried.add(key);
  }
  return undefined;
}

/** Those of its records that can let the link to the next one wait. */
function shortestCycle(links: ReadonlyMap<RecordKey, OwnLinks>): RecordKey[] {
  let shortest: readonly RecordKey[] | undefined;
  for (const start of links.keys()) {
    const paths: RecordKey[][] = [[start]];
    const seen = new Set<RecordKey>();
    for (const path of paths) {
      if (shortest !== undefined && path.length >= shortest.length) break;
      const { hard = [], soft = [] } = links.get(path.at(-1) ?? start) ?? {};
      for (const target of [...hard, ...soft]) {
        if (target === start) shortest = path;
        else if (!seen.has(target)) paths.push([...path, target]);
        seen.add(target);
      }
      if (shortest === path) break;
    }
  }
  const cycle = shortest ?? [];
  return cycle.filter((key, index) => links.get(key)?.soft.has(cycle[(index + 1) % cycle.length] ?? key));
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

function copyOf(links: ReadonlyMap<RecordKey, OwnLinks>): Map<RecordKey, OwnLinks> {
  return new Map(
    [...links].map(([key, { hard, soft, from }]) => [
      key,
      { hard: new Set(hard), soft: new Set(soft), from: new Set(from) },
    ]),
  );
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
