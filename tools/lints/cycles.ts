/** A directed graph: from each node to the nodes it refers to. */
export type Graph = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * Returns the cycles of a graph: each strongly connected component of two or more nodes, and each node that refers to
 * itself. Members are sorted. Linear in nodes and edges (Tarjan's algorithm, iterative so that depth has no limit).
 */
export function cyclesOf(graph: Graph): string[][] {
  const search = new CycleSearch(graph);
  for (const node of [...graph.keys()].sort()) search.visitFrom(node);
  return search.cycles;
}

class CycleSearch {
  readonly cycles: string[][] = [];
  readonly #graph: Graph;
  readonly #index = new Map<string, number>();
  readonly #low = new Map<string, number>();
  readonly #stack: string[] = [];
  readonly #onStack = new Set<string>();

  constructor(graph: Graph) {
    this.#graph = graph;
  }

  /** Visits every node that is reachable from a node and was not visited before. */
  visitFrom(start: string): void {
    const frames = this.#index.has(start) ? [] : [this.#enter(start)];
    for (let frame = frames.at(-1); frame !== undefined; frame = frames.at(-1)) {
      const target = frame.targets[frame.next];
      frame.next += 1;
      if (target === undefined) {
        frames.pop();
        this.#leave(frame.node, frames.at(-1)?.node);
      } else if (!this.#index.has(target)) frames.push(this.#enter(target));
      else if (this.#onStack.has(target)) this.#lower(frame.node, this.#index.get(target));
    }
  }

  #enter(node: string): Frame {
    this.#index.set(node, this.#index.size);
    this.#low.set(node, this.#index.size - 1);
    this.#stack.push(node);
    this.#onStack.add(node);
    return { node, targets: [...(this.#graph.get(node) ?? [])].sort(), next: 0 };
  }

  #leave(node: string, parent: string | undefined): void {
    if (this.#low.get(node) === this.#index.get(node)) this.#addComponent(node);
    if (parent !== undefined) this.#lower(parent, this.#low.get(node));
  }

  /** Takes the component whose first node is `node` off the stack. */
  #addComponent(node: string): void {
    const members = this.#stack.splice(this.#stack.indexOf(node));
    for (const member of members) this.#onStack.delete(member);
    if (members.length > 1 || this.#graph.get(node)?.has(node) === true) this.cycles.push(members.sort());
  }

  #lower(node: string, value: number | undefined): void {
    this.#low.set(node, Math.min(this.#low.get(node) ?? 0, value ?? 0));
  }
}

interface Frame {
  readonly node: string;
  readonly targets: readonly string[];
  next: number;
}
