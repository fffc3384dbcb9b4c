import type { SourceTree } from './source-tree.ts';

/** The files that one request or event passes, in the order of their first call. */
export interface CallPath {
  readonly name: string;
  readonly files: readonly string[];
}

const BLOCK = /^```text call-path (.+)\n([\s\S]*?)\n```$/gm;

/** Returns the call paths of a document: blocks `text call-path <name>`, of which each line begins with a file. */
export const readCallPaths = (document: string): readonly CallPath[] =>
  [...document.matchAll(BLOCK)].map(([, name = '', lines = '']) => ({
    name,
    files: lines.split('\n').map((line) => line.split(' ', 1)[0] ?? ''),
  }));

/**
 * Returns the faults of call paths: a file that does not exist, one that is named twice, and an import of an earlier file of the path. A file that
 * imports none of the earlier ones can return into one only through a function that it was given.
 */
export function callPathProblems(paths: readonly CallPath[], tree: SourceTree): string[] {
  const modules = new Map(tree.modules.map((module) => [module.path, module]));
  return paths.flatMap(({ name, files }) => {
    const earlier = new Set<string>();
    return files.flatMap((file) => {
      const module = modules.get(file);
      const problems = module === undefined ? [`${name}: there is no file ${file}`] : [];
      if (earlier.has(file)) problems.push(`${name}: ${file} is named twice`);
      for (const { target, typeOnly, line } of module?.imports ?? [])
        if (!typeOnly && earlier.has(target))
          problems.push(`${name}: ${file}:${line} imports ${target}, which is earlier in the path`);
      earlier.add(file);
      return problems;
    });
  });
}
