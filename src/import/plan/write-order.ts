import { getOrMake, groupBy } from "../../core/collections.ts";
import type { RecordKey } from "../../core/records/record.ts";
import { strongComponents } from "../../references/cycles.ts";

/** The place of a record in the order of writes, and its links that a second write adds. */
export interface WriteOrder {
  readonly dependsOn: readonly RecordKey[];
  readonly linksTo: readonly RecordKey[];
}

/**
 * Orders writes so that no record waits for itself. A deferrable reference becomes a dependency, unless the dependency would close
 * a cycle. In that case a second write adds the reference.
 */
export function orderWrites(needs: ReadonlyMap<RecordKey, WriteNeeds>): Map<RecordKey, WriteOrder> {
  const edges = new Map<RecordKey, Set<RecordKey>>();
  const dependents = new Map<RecordKey, Set<RecordKey>>();
  const add = (key: RecordKey, target: RecordKey): void => {
    getOrMake(edges, key, () => new Set<RecordKey>()).add(target);
    getOrMake(dependents, target, () => new Set<RecordKey>()).add(key);
  };
  for (const [key, { hard }] of needs) for (const target of hard) add(key, target);
  const later: { readonly key: RecordKey; readonly target: RecordKey }[] = [];
  // Deferred records come last here, because their links are the ones that may close a cycle.
  const waiters = minimalDeferrals(needs);
  const lastWaiters = [...needs].toSorted(([left], [right]) => Number(waiters.has(left)) - Number(waiters.has(right)));
  for (const [key, { soft }] of lastWaiters) {
    for (const target of soft) {
      const isCycle = leadsTo(
        target,
        key,
        (node) => edges.get(node) ?? [],
        (node) => dependents.get(node) ?? [],
      );
      if (isCycle) later.push({ key, target });
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

/**
 * Tells whether a path along `next` leads from one node to another; true if the nodes are the same. Searches from both ends, so
 * that the cost depends on the smaller of the two searches.
 */
export function leadsTo<Node>(
  from: Node,
  to: Node,
  next: (node: Node) => Iterable<Node>,
  previous: (node: Node) => Iterable<Node>,
): boolean {
  if (from === to) return true;
  const [ahead, behind] = [new Set([from]), new Set([to])];
  const forth = walkNeighbours(ahead, next);
  const back = walkNeighbours(behind, previous);
  for (;;) {
    const further = forth.next();
    if (further.done === true) return false;
    if (behind.has(further.value)) return true;
    const before = back.next();
    if (before.done === true) return false;
    if (ahead.has(before.value)) return true;
  }
}

/** Walks through the graph from the given nodes. Yields each node when it is reached, and adds it to `seenNodes`. */
function* walkNeighbours<Node>(seenNodes: Set<Node>, next: (node: Node) => Iterable<Node>): Generator<Node, void> {
  const unvisited = [...seenNodes];
  for (let node = unvisited.pop(); node !== undefined; node = unvisited.pop()) {
    for (const neighbour of next(node)) {
      if (!seenNodes.has(neighbour)) unvisited.push(neighbour);
      seenNodes.add(neighbour);
      yield neighbour;
    }
  }
}

/** The other written records that a record depends on. */
export interface WriteNeeds {
  /** Records that must be written before the first write of the record. */
  readonly hard: ReadonlySet<RecordKey>;
  /** Records to which a second write can add the links. */
  readonly soft: ReadonlySet<RecordKey>;
}

/**
 * At most this many search steps are spent on one component before the greedy answer is taken (a few tenths of a second). The cost
 * of a step grows with the square of the component's size.
 */
const MAX_WORK = 4_000_000;

/**
 * Finds the fewest records whose links can be deferred to a second write so that every other record needs only one write. In the
 * usual cycle of sources (logs ↔ traces ↔ sessions), only the traces need a second write. For dozens of records that all link to
 * each other, the answer is good but perhaps not the smallest.
 */
export function minimalDeferrals(needs: ReadonlyMap<RecordKey, WriteNeeds>): ReadonlySet<RecordKey> {
  const neededRecords = (key: RecordKey): RecordKey[] => {
    const { hard, soft } = needs.get(key) ?? { hard: [], soft: [] };
    return [...hard, ...soft].filter((target) => needs.has(target));
  };
  const components = groupBy([...strongComponents(needs.keys(), neededRecords)], ([, component]) => component);
  return new Set(
    [...components.values()].flatMap((members) =>
      minimalOfComponent(
        members.map(([key]) => key),
        needs,
      ),
    ),
  );
}

/**
 * Tries sets of no, one, two … records of a component, later records first, so that the later of two equally good records is
 * deferred.
 */
function minimalOfComponent(
  members: readonly RecordKey[],
  needs: ReadonlyMap<RecordKey, WriteNeeds>,
): readonly RecordKey[] {
  if (members.length < 2) return [];
  const good = greedyDeferrals(members, needs);
  const budget = { steps: MAX_WORK / members.length ** 2 };
  const links = linksAmong(members.toReversed(), needs);
  for (let most = 0; most <= good.length && budget.steps > 0; most += 1) {
    const found = searchDeferrals(most, links, new Set(), budget);
    if (found !== undefined) return found;
  }
  return good;
}

/**
 * Finds at most `most` records whose links must be deferred so that no cycle is left; undefined if there is no such set. At least
 * one record of each cycle must be deferred.
 */
function searchDeferrals(
  most: number,
  allLinks: ReadonlyMap<RecordKey, OwnLinks>,
  ruledOut: ReadonlySet<RecordKey>,
  budget: { steps: number },
): RecordKey[] | undefined {
  budget.steps -= 1;
  const links = copyOf(allLinks);
  pruneAcyclic(links);
  if (links.size === 0) return [];
  if (most === 0 || budget.steps <= 0) return undefined;
  const tried = new Set(ruledOut);
  for (const key of shortestCycle(links)) {
    if (tried.has(key)) continue;
    const without = copyOf(links);
    for (const target of links.get(key)?.soft ?? []) unlink(without, key, target);
    const others = searchDeferrals(most - 1, without, tried, budget);
    if (others !== undefined) return [key, ...others];
    tried.add(key);
  }
  return undefined;
}

/** Finds the shortest cycle, and returns those of its records whose link to the next record in the cycle can be deferred. */
function shortestCycle(links: ReadonlyMap<RecordKey, OwnLinks>): RecordKey[] {
  let cycle: readonly RecordKey[] = [];
  for (const start of links.keys()) {
    cycle = cycleThrough(start, links, cycle.length || Number.POSITIVE_INFINITY) ?? cycle;
  }
  return cycle.filter((key, index) => links.get(key)?.soft.has(cycle[(index + 1) % cycle.length] ?? key));
}

/** Finds the shortest cycle through a record; undefined if there is none with less than `limit` records. */
function cycleThrough(
  start: RecordKey,
  links: ReadonlyMap<RecordKey, OwnLinks>,
  limit: number,
): readonly RecordKey[] | undefined {
  const paths: RecordKey[][] = [[start]];
  const reachedKeys = new Set<RecordKey>();
  for (const path of paths) {
    if (path.length >= limit) return undefined;
    const { hard = [], soft = [] } = links.get(path.at(-1) ?? start) ?? {};
    for (const target of [...hard, ...soft]) {
      if (target === start) return path;
      if (!reachedKeys.has(target)) paths.push([...path, target]);
      reachedKeys.add(target);
    }
  }
  return undefined;
}

/**
 * Greedy feedback vertex set: repeatedly defers the record that seems to lie on the most cycles, judged by its number of links.
 * Deferring one too many costs no write, because only links that close a cycle are postponed.
 */
function greedyDeferrals(members: readonly RecordKey[], needs: ReadonlyMap<RecordKey, WriteNeeds>): RecordKey[] {
  const links = linksAmong(members, needs);
  const waiting: RecordKey[] = [];
  for (;;) {
    pruneAcyclic(links);
    let [most, cycles]: [RecordKey | undefined, number] = [undefined, 0];
    for (const [key, { soft, from }] of links) {
      if (soft.size * from.size > cycles) [most, cycles] = [key, soft.size * from.size];
    }
    if (most === undefined) return waiting;
    waiting.push(most);
    for (const target of links.get(most)?.soft ?? []) unlink(links, most, target);
  }
}

interface OwnLinks extends WriteNeeds {
  readonly hard: Set<RecordKey>;
  readonly soft: Set<RecordKey>;
  /** The records that link to this record. */
  readonly from: Set<RecordKey>;
}

function linksAmong(
  members: readonly RecordKey[],
  needs: ReadonlyMap<RecordKey, WriteNeeds>,
): Map<RecordKey, OwnLinks> {
  const within = new Set(members);
  const links = new Map<RecordKey, OwnLinks>();
  for (const key of members) {
    const { hard = [], soft = [] } = needs.get(key) ?? {};
    const hardTargets = new Set([...hard].filter((target) => within.has(target)));
    const softTargets = new Set([...soft].filter((target) => within.has(target) && !hardTargets.has(target)));
    links.set(key, { hard: hardTargets, soft: softTargets, from: new Set() });
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

/** Removes, until nothing changes, each record that is in no cycle because no record links to it or it links to none. */
function pruneAcyclic(links: Map<RecordKey, OwnLinks>): void {
  const pendingKeys = [...links.keys()];
  for (let key = pendingKeys.pop(); key !== undefined; key = pendingKeys.pop()) {
    const ownLinks = links.get(key);
    if (ownLinks === undefined || (ownLinks.hard.size + ownLinks.soft.size > 0 && ownLinks.from.size > 0)) continue;
    const targets = [...ownLinks.hard, ...ownLinks.soft];
    pendingKeys.push(...targets, ...ownLinks.from);
    for (const target of targets) unlink(links, key, target);
    for (const source of ownLinks.from) unlink(links, source, key);
    links.delete(key);
  }
}

function unlink(links: Map<RecordKey, OwnLinks>, from: RecordKey, to: RecordKey): void {
  links.get(from)?.hard.delete(to);
  links.get(from)?.soft.delete(to);
  links.get(to)?.from.delete(from);
}
