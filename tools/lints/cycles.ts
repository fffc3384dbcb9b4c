/** A directed graph: from each node to the nodes it refers to. */
export type Graph = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * Returns the cycles of a graph: each strongly connected component of two or more nodes, and each node that refers to
 * itself. Members are sorted. Linear in nodes and edges (Tarjan's algorithm, iterative so that depth has no limit).
 */
export function cyclesOf(graph: Graph): string[][] {
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const onStack = new Set<string>();
  const cycles: string[][] = [];
  const enter = (node: string): Frame => {
    index.set(node, index.size);
    low.set(node, index.size - 1);
    stack.push(node);
    onStack.add(node);
    return { node, targets: [...(graph.get(node) ?? [])].sort(), next: 0 };
  };
  const lower = (node: string, value: number | undefined): void => {
    low.set(node, Math.min(low.get(node) ?? 0, value ?? 0));
  };
  const leave = (node: string): void => {
    if (low.get(node) !== index.get(node)) return;
    const members = stack.splice(stack.indexOf(node));
    for (const member of members) onStack.delete(member);
    if (members.length > 1 || graph.get(node)?.has(node) === true) cycles.push(members.sort());
  };

  for (const start of [...graph.keys()].sort()) {
    const frames = index.has(start) ? [] : [enter(start)];
    for (let frame = frames.at(-1); frame !== undefined; frame = frames.at(-1)) {
      const target = frame.targets[frame.next];
      frame.next += 1;
      if (target === undefined) {
        frames.pop();
        leave(frame.node);
        const parent = frames.at(-1);
        if (parent !== undefined) lower(parent.node, low.get(frame.node));
      } else if (!index.has(target)) frames.push(enter(target));
      else if (onStack.has(target)) lower(frame.node, index.get(target));
    }
  }
  return cycles;
}

interface Frame {
  readonly node: string;
  readonly targets: readonly string[];
  next: number;
}
