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
