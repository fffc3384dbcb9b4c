import { dirname } from 'node:path/posix';
import { cyclesOf } from './cycles.ts';
import type { Rule, Violation } from './rule.ts';
import type { SourceModule } from './source-tree.ts';

const EVERYTHING = ['**'];
const PRODUCTS = ['libs/*/src/**', 'packages/*/src/**', 'services/*/src/**'];

interface Edge {
  readonly from: string;
  readonly to: string;
  readonly module: SourceModule;
  readonly line: number;
  readonly typeOnly: boolean;
}

/** The imports between files. Type-only imports count. */
function fileEdges(modules: readonly SourceModule[]): Edge[] {
  const paths = new Set(modules.map(({ path }) => path));
  return modules.flatMap((module) =>
    module.imports
      .filter(({ target }) => paths.has(target))
      .map(({ target, line, typeOnly }) => ({ from: module.path, to: target, module, line, typeOnly })),
  );
}

/** The imports between folders of one package. */
const folderEdges = (modules: readonly SourceModule[]): Edge[] =>
  fileEdges(modules)
    .filter(({ to, module }) => to.startsWith(`${module.owner.dir}/`))
    .map((edge) => {
      const root = `${edge.module.owner.dir}/src`;
      return { ...edge, from: folderOf(edge.from, root), to: folderOf(edge.to, root) };
    });

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
    violations: (modules) => violationsOf(fileEdges(modules)),
  },
  {
    name: 'value-cycles',
    reason: 'imports of values between files form no cycle, tests and tools included',
    files: EVERYTHING,
    violations: (modules) => violationsOf(fileEdges(modules).filter(({ typeOnly }) => !typeOnly)),
  },
  {
    name: 'folder-cycles',
    reason: 'imports between folders of a package form no cycle',
    files: PRODUCTS,
    tests: 'exempt',
    violations: (modules) => violationsOf(folderEdges(modules)),
  },
];
