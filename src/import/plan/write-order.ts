import { getOrMake } from "../../core/collections.ts";
import type { RecordKey } from "../../core/records/record.ts";

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
  const later = new Map<RecordKey, RecordKey[]>();
  // Deferred records come last here, because their links are the ones that may close a cycle.
  const deferred = chooseDeferrals(needs);
  const deferredLast = [...needs].toSorted(
    ([left], [right]) => Number(deferred.has(left)) - Number(deferred.has(right)),
  );
  for (const [key, { soft }] of deferredLast) {
    for (const target of soft) {
      const isCycle = leadsTo(
        target,
        key,
        (node) => edges.get(node) ?? [],
        (node) => dependents.get(node) ?? [],
      );
      if (isCycle) getOrMake(later, key, () => []).push(target);
      else add(key, target);
    }
  }
  return new Map(
    [...needs.keys()].map((key) => [key, { dependsOn: [...(edges.get(key) ?? [])], linksTo: later.get(key) ?? [] }]),
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
 * Chooses the records whose links may be deferred to a second write, so that every other record needs only one write. In the usual
 * cycle of sources (logs ↔ traces ↔ sessions), only the traces need a second write. Repeatedly chooses the record that seems to lie
 * on the most cycles, judged by its number of links. In small groups of records, this seldom chooses more records than necessary. A
 * record too many costs no write, because only links that close a cycle are deferred.
 */
export function chooseDeferrals(needs: ReadonlyMap<RecordKey, WriteNeeds>): ReadonlySet<RecordKey> {
  const links = linksAmong(needs);
  const deferred = new Set<RecordKey>();
  for (;;) {
    pruneAcyclic(links);
    let [chosen, cycles]: [RecordKey | undefined, number] = [undefined, 0];
    for (const [key, { soft, from }] of links) {
      if (soft.size * from.size > cycles) [chosen, cycles] = [key, soft.size * from.size];
    }
    if (chosen === undefined) return deferred;
    deferred.add(chosen);
    for (const target of links.get(chosen)?.soft ?? []) unlink(links, chosen, target);
  }
}

interface OwnLinks extends WriteNeeds {
  readonly hard: Set<RecordKey>;
  readonly soft: Set<RecordKey>;
  /** The records that link to this record. */
  readonly from: Set<RecordKey>;
}

function linksAmong(needs: ReadonlyMap<RecordKey, WriteNeeds>): Map<RecordKey, OwnLinks> {
  const links = new Map<RecordKey, OwnLinks>();
  // Later records come first, so that the later of two equally good records is deferred.
  for (const [key, { hard, soft }] of [...needs].toReversed()) {
    const hardTargets = new Set([...hard].filter((target) => needs.has(target)));
    const softTargets = new Set([...soft].filter((target) => needs.has(target) && !hardTargets.has(target)));
    links.set(key, { hard: hardTargets, soft: softTargets, from: new Set() });
  }
  for (const [key, { hard, soft }] of links) for (const target of [...hard, ...soft]) links.get(target)?.from.add(key);
  return links;
}

/**
 * Removes each record that no record links to, or that links to no record: such a record is in no cycle. Repeats this until nothing
 * changes.
 */
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
