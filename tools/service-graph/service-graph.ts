import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BlockMarks } from '../text-block.ts';
import { readDials } from './read-dials.ts';

const SOURCES = 'services/*/src/**/*.ts';
const NOT_READ = /\.test\.ts$|\/(generated|fixtures)\//;

/** Where ARCHITECTURE.md shows the graph. */
export const GRAPH_BLOCK: BlockMarks = { opening: '```text service-graph\n', closing: '\n```' };

/** Which services call which over gRPC, by name, each list sorted. */
export type ServiceGraph = ReadonlyMap<string, readonly string[]>;

export interface ReadGraph {
  readonly graph: ServiceGraph;
  /** Calls of which the code does not say where they go, and services that do not exist. */
  readonly problems: readonly string[];
}

/** Derives the graph of services from every `dial` in their code. */
export function readServiceGraph(root: string): ReadGraph {
  const files = globSync(SOURCES, { cwd: root })
    .filter((path) => !NOT_READ.test(path))
    .sort();
  const services = new Set(files.map(serviceOf));
  const calls = new Map([...services].map((name) => [name, new Set<string>()]));
  const problems: string[] = [];
  for (const path of files) {
    for (const { line, service } of readDials(readFileSync(join(root, path), 'utf8'))) {
      if (service === undefined)
        problems.push(`${path}:${line} dials a service that is no literal: dial('<service>', …)`);
      else if (!services.has(service)) problems.push(`${path}:${line} dials ${service}, which is no service`);
      else calls.get(serviceOf(path))?.add(service);
    }
  }
  if (services.size === 0) problems.push('no service was found: nothing was read');
  return { graph: new Map([...calls].map(([name, called]) => [name, [...called].sort()])), problems };
}

const serviceOf = (path: string): string => path.split('/')[1] ?? '';

/** One cycle of the graph, from a service back to itself; undefined where there is none. */
export function findCycle(graph: ServiceGraph): readonly string[] | undefined {
  const done = new Set<string>();
  const visit = (name: string, path: readonly string[]): readonly string[] | undefined => {
    const from = path.indexOf(name);
    if (from !== -1) return [...path.slice(from), name];
    if (done.has(name)) return undefined;
    for (const called of graph.get(name) ?? []) {
      const cycle = visit(called, [...path, name]);
      if (cycle !== undefined) return cycle;
    }
    done.add(name);
    return undefined;
  };
  for (const name of graph.keys()) {
    const cycle = visit(name, []);
    if (cycle !== undefined) return cycle;
  }
  return undefined;
}

/** Every call there is. */
export const callsIn = (graph: ServiceGraph): number =>
  [...graph.values()].reduce((sum, { length }) => sum + length, 0);

/** The graph as text, a line for each service; where there is no cycle, a service calls only services of lower lines. */
export function printGraph(graph: ServiceGraph): string {
  const width = Math.max(...[...graph.keys()].map(({ length }) => length));
  return inOrder(graph)
    .map((name) => {
      const called = graph.get(name) ?? [];
      return called.length === 0 ? name : `${name.padEnd(width)} -> ${called.join(', ')}`;
    })
    .join('\n');
}

/** Callers before those they call: by the longest way down, then by name. */
function inOrder(graph: ServiceGraph): string[] {
  const heights = new Map<string, number>();
  const heightOf = (name: string, above: ReadonlySet<string>): number => {
    const known = heights.get(name);
    if (known !== undefined) return known;
    if (above.has(name)) return 0;
    const below = (graph.get(name) ?? []).map((called) => heightOf(called, new Set([...above, name])));
    const height = below.length === 0 ? 0 : 1 + Math.max(...below);
    heights.set(name, height);
    return height;
  };
  const names = [...graph.keys()].sort();
  for (const name of names) heightOf(name, new Set());
  return names.sort((a, b) => (heights.get(b) ?? 0) - (heights.get(a) ?? 0) || (a < b ? -1 : 1));
}
