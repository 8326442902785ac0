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
  // The record with the most links comes last: an index that links to many dashboards, each of which links back, is written twice,
  // and not each of the others.
  const mostLinksLast = [...needs].toSorted(([, left], [, right]) => left.soft.size - right.soft.size);
  for (const [key, { soft }] of mostLinksLast) {
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
