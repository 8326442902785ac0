import { getOrMake, groupBy } from "../../core/collections.ts";
import type { RecordKey } from "../../core/records/record.ts";
import type { Needs } from "./minimal-deferrals.ts";
import { minimalDeferrals } from "./minimal-deferrals.ts";

/** The place of a record in the order of writes, and its links that a second write adds. */
export interface WriteOrder {
  readonly dependsOn: readonly RecordKey[];
  readonly linksTo: readonly RecordKey[];
}

/**
 * Orders writes so that no record waits for itself. A deferrable reference becomes a dependency unless that closes a cycle; then
 * a second write adds it.
 */
export function orderWrites(needs: ReadonlyMap<RecordKey, Needs>): Map<RecordKey, WriteOrder> {
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
 * Tells whether following `next` from one node leads to another. A node leads to itself. Searches from both ends, so that the cost
 * is that of the shorter side.
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

/** Yields each step to a neighbour of the seen nodes, once. */
function* walkNeighbours<Node>(seen: Set<Node>, next: (node: Node) => Iterable<Node>): Generator<Node, void> {
  const unvisited = [...seen];
  for (let node = unvisited.pop(); node !== undefined; node = unvisited.pop()) {
    for (const neighbour of next(node)) {
      if (!seen.has(neighbour)) unvisited.push(neighbour);
      seen.add(neighbour);
      yield neighbour;
    }
  }
}
