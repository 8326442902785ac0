/** Whether following `next` from one node leads to another. A node leads to itself. */
export function reaches<Node>(from: Node, to: Node, next: (node: Node) => Iterable<Node>): boolean {
  const seen = new Set<Node>([from]);
  const open = [from];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (node === to) return true;
    for (const neighbour of next(node)) {
      if (seen.has(neighbour)) continue;
      seen.add(neighbour);
      open.push(neighbour);
    }
  }
  return false;
}
