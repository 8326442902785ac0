import { getOrMake, groupBy } from "../../core/collections.ts";
import type { RecordKey } from "../../core/record.ts";

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
      const isCycle = reaches(
        target,
        key,
        (node) => edges.get(node) ?? [],
        (node) => users.get(node) ?? [],
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
 * Whether following `next` from one node leads to another. A node leads to itself. Looked for from both ends, a step here and a
 * step there, so that it takes no longer than twice the shorter way of finding out.
 */
export function reaches<Node>(
  from: Node,
  to: Node,
  next: (node: Node) => Iterable<Node>,
  previous: (node: Node) => Iterable<Node>,
): boolean {
  if (from === to) return true;
  const [ahead, behind] = [new Set([from]), new Set([to])];
  const forth = spread(ahead, next);
  const back = spread(behind, previous);
  for (;;) {
    const further = forth.next();
    if (further.done === true) return false;
    if (behind.has(further.value)) return true;
    const before = back.next();
    if (before.done === true) return false;
    if (ahead.has(before.value)) return true;
  }
}

/** Each step to a neighbour of what has been seen, once. */
function* spread<Node>(seen: Set<Node>, next: (node: Node) => Iterable<Node>): Generator<Node, void> {
  const open = [...seen];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    for (const neighbour of next(node)) {
      if (!seen.has(neighbour)) open.push(neighbour);
      seen.add(neighbour);
      yield neighbour;
    }
  }
}
