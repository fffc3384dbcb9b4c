import { dirname } from 'node:path/posix';
import { cyclesOf } from './cycles.ts';
import type { Rule, Violation } from './rule.ts';
import type { SourceModule } from './source-tree.ts';

const PRODUCTS = ['libs/*/src/**', 'packages/*/src/**', 'services/*/src/**'];

interface Edge {
  readonly from: string;
  readonly to: string;
  readonly module: SourceModule;
  readonly line: number;
}

/** The imports between files of one package, tests excluded. Type-only imports count. */
function edgesOf(modules: readonly SourceModule[], nodeOf: (path: string, root: string) => string): Edge[] {
  const paths = new Set(modules.map(({ path }) => path));
  return modules.flatMap((module) =>
    module.imports
      .filter(({ target }) => paths.has(target) && target.startsWith(`${module.owner.dir}/`))
      .map(({ target, line }) => {
        const root = `${module.owner.dir}/src`;
        return { from: nodeOf(module.path, root), to: nodeOf(target, root), module, line };
      }),
  );
}

/** Returns one violation per cycle, at the first import that is part of it, with every import between its members. */
function violationsOf(edges: readonly Edge[]): Violation[] {
  const graph = new Map<string, Set<string>>();
  for (const { from, to } of edges) {
    if (from === to) continue;
    graph.set(from, (graph.get(from) ?? new Set()).add(to));
    if (!graph.has(to)) graph.set(to, new Set());
  }
  return cyclesOf(graph).flatMap((members) => {
    const inside = edges.filter(({ from, to }) => from !== to && members.includes(from) && members.includes(to));
    const [first] = inside;
    if (first === undefined) return [];
    const imports = inside.map(({ module, line, to }) => `\n    ${module.path}:${line} imports ${to}`);
    const what = `cycle of ${members.length}: ${members.join(', ')}${imports.join('')}`;
    return [{ path: first.module.path, line: first.line, what }];
  });
}

/** A file directly under `src` is a node of its own: a composition root imports features, and features import the configuration. */
const folderOf = (path: string, root: string): string => (dirname(path) === root ? path : dirname(path));

export const CYCLE_RULES: readonly Rule[] = [
  {
    name: 'file-cycles',
    reason: 'imports between files form no cycle',
    files: PRODUCTS,
    tests: 'exempt',
    violations: (modules) => violationsOf(edgesOf(modules, (path) => path)),
  },
  {
    name: 'folder-cycles',
    reason: 'imports between folders of a package form no cycle',
    files: PRODUCTS,
    tests: 'exempt',
    violations: (modules) => violationsOf(edgesOf(modules, folderOf)),
  },
];
