/**
 * The circles of a graph: each is a largest set of nodes that all reach one another, sorted. A node that leads to itself is a
 * circle of one.
 */
export function circlesOf(edges: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
  const reached = new Map([...edges.keys()].map((node) => [node, reachedFrom(node, edges)]));
  const circles: string[][] = [];
  for (const [node, targets] of reached) {
    if (!targets.has(node) || circles.some((circle) => circle.includes(node))) continue;
    circles.push([...targets].filter((other) => reached.get(other)?.has(node)).sort());
  }
  return circles;
}

/** Returns the nodes that a node leads to, in any number of steps. */
export function reachedFrom(node: string, edges: ReadonlyMap<string, ReadonlySet<string>>): ReadonlySet<string> {
  const reached = new Set<string>();
  const open = [node];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const target of edges.get(next) ?? []) {
      if (reached.has(target)) continue;
      reached.add(target);
      open.push(target);
    }
  }
  return reached;
}
