/** A node on the current path of the depth-first search. */
interface Visit<Node> {
  readonly node: Node;
  readonly index: number;
  /** The position of the earliest node on the path that can be reached from this node. */
  earliest: number;
  readonly rest: Iterator<Node>;
}

/** Returns for each node the number of its strongly connected component (Tarjan's algorithm). */
export function strongComponents<Node>(nodes: Iterable<Node>, next: (node: Node) => Iterable<Node>): Map<Node, number> {
  const componentOf = new Map<Node, number>();
  const found = new Map<Node, number>();
  const openNodes: Node[] = [];
  const visit = (node: Node): Visit<Node> => {
    const index = found.size;
    found.set(node, index);
    openNodes.push(node);
    return { node, index, earliest: index, rest: next(node)[Symbol.iterator]() };
  };
  for (const start of nodes) {
    if (found.has(start)) continue;
    const path = [visit(start)];
    for (let current = path.at(-1); current !== undefined; current = path.at(-1)) {
      const step = current.rest.next();
      if (step.done !== true) {
        const index = found.get(step.value);
        if (index === undefined) path.push(visit(step.value));
        else if (!componentOf.has(step.value)) current.earliest = Math.min(current.earliest, index);
        continue;
      }
      path.pop();
      const before = path.at(-1);
      if (before) before.earliest = Math.min(before.earliest, current.earliest);
      if (current.earliest < current.index) continue;
      for (const node of openNodes.splice(openNodes.lastIndexOf(current.node))) componentOf.set(node, current.index);
    }
  }
  return componentOf;
}
