/** A node on the current path. */
interface Visit<Node> {
  readonly node: Node;
  readonly at: number;
  /** The position of the earliest node of the path that this one reaches. */
  earliest: number;
  readonly rest: Iterator<Node>;
}

/** Numbers nodes by their strongly connected component: nodes with the same number lead to each other (Tarjan's algorithm). */
export function stronglyConnected<Node>(
  nodes: Iterable<Node>,
  next: (node: Node) => Iterable<Node>,
): Map<Node, number> {
  const componentOf = new Map<Node, number>();
  const found = new Map<Node, number>();
  const open: Node[] = [];
  const visit = (node: Node): Visit<Node> => {
    const at = found.size;
    found.set(node, at);
    open.push(node);
    return { node, at, earliest: at, rest: next(node)[Symbol.iterator]() };
  };
  for (const start of nodes) {
    if (found.has(start)) continue;
    const path = [visit(start)];
    for (let here = path.at(-1); here !== undefined; here = path.at(-1)) {
      const step = here.rest.next();
      if (step.done !== true) {
        const at = found.get(step.value);
        if (at === undefined) path.push(visit(step.value));
        else if (!componentOf.has(step.value)) here.earliest = Math.min(here.earliest, at);
        continue;
      }
      path.pop();
      const before = path.at(-1);
      if (before) before.earliest = Math.min(before.earliest, here.earliest);
      if (here.earliest < here.at) continue;
      for (const node of open.splice(open.lastIndexOf(here.node))) componentOf.set(node, here.at);
    }
  }
  return componentOf;
}
