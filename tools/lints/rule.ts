import { matchesGlob } from 'node:path';
import type { SourceModule, SourceTree, TargetedImport } from './source-tree.ts';

export interface Fault {
  readonly path: string;
  readonly line: number;
  readonly what: string;
}

/** One rule of the house. */
export interface Rule {
  readonly name: string;
  /** Why it is there: told with every fault. */
  readonly says: string;
  /** The files it looks at, as globs. */
  readonly files: readonly string[];
  readonly except?: readonly string[];
  /** Tests are looked at unless this says otherwise. */
  readonly tests?: 'exempt';
  readonly faults: (modules: readonly SourceModule[], tree: SourceTree) => Fault[];
}

export interface Verdict {
  readonly files: number;
  readonly imports: number;
  readonly rules: number;
  readonly problems: readonly string[];
}

/** Holds a tree against rules. A rule that looked at nothing is a fault itself: a lint proves that it looked. */
export function judge(tree: SourceTree, rules: readonly Rule[]): Verdict {
  const problems = rules.flatMap((rule) => {
    const seen = tree.modules.filter((module) => looksAt(rule, module));
    if (seen.length === 0) return [`rule ${rule.name} matched no file (${rule.files.join(', ')}): it proves nothing`];
    return rule
      .faults(seen, tree)
      .map(({ path, line, what }) => `${path}:${line} ${what} [${rule.name}: ${rule.says}]`);
  });
  return {
    files: tree.modules.length,
    imports: tree.modules.reduce((sum, { imports }) => sum + imports.length, 0),
    rules: rules.length,
    problems: tree.modules.length === 0 ? ['no source file was found: nothing was looked at'] : problems,
  };
}

function looksAt({ files, except = [], tests }: Rule, module: SourceModule): boolean {
  if (tests === 'exempt' && module.isTest) return false;
  const matches = (glob: string): boolean => matchesGlob(module.path, glob);
  return files.some(matches) && !except.some(matches);
}

/** A rule's faults, from what is wrong with one import. */
export const eachImport =
  (wrong: (found: TargetedImport, module: SourceModule, tree: SourceTree) => string | undefined): Rule['faults'] =>
  (modules, tree) =>
    modules.flatMap((module) =>
      module.imports.flatMap((found) => {
        const what = wrong(found, module, tree);
        return what === undefined ? [] : [{ path: module.path, line: found.line, what }];
      }),
    );

/** `{own}` stands for the folder of the package a file lies in; `type ` before a glob lets types through and nothing that runs. */
const reaches = (pattern: string, found: TargetedImport, module: SourceModule): boolean => {
  const [, typeOnly, glob = ''] = /^(type )?(.*)$/.exec(pattern) ?? [];
  if (typeOnly !== undefined && !found.typeOnly) return false;
  return matchesGlob(found.target, glob.replace('{own}', module.owner.dir));
};

/** Nothing but these may be imported. */
export const only = (...patterns: readonly string[]): Rule['faults'] =>
  eachImport((found, module) =>
    patterns.some((pattern) => reaches(pattern, found, module)) ? undefined : `imports ${found.target}`,
  );

/** None of these may be imported. */
export const never = (...patterns: readonly string[]): Rule['faults'] =>
  eachImport((found, module) =>
    patterns.some((pattern) => reaches(pattern, found, module)) ? `imports ${found.target}` : undefined,
  );

/** None of these may be imported, but for the package's own files. */
export const noOther = (...patterns: readonly string[]): Rule['faults'] =>
  eachImport((found, module) => {
    const isOwn = reaches('{own}/**', found, module);
    return !isOwn && patterns.some((pattern) => reaches(pattern, found, module))
      ? `imports ${found.target}`
      : undefined;
  });

/** None of these globals may be used. */
export const noGlobals =
  (...names: readonly string[]): Rule['faults'] =>
  (modules) =>
    modules.flatMap(({ path, globals }) =>
      globals
        .filter(({ name }) => names.includes(name))
        .map(({ name, line }) => ({ path, line, what: `uses ${name}` })),
    );
