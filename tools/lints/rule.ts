import { matchesGlob } from 'node:path';
import type { SourceModule, SourceTree, TargetedImport } from './source-tree.ts';

export interface Violation {
  readonly path: string;
  readonly line: number;
  readonly what: string;
}

/** A lint rule. */
export interface Rule {
  readonly name: string;
  /** Reason of the rule; printed with every violation. */
  readonly reason: string;
  /** The files that the rule applies to, as globs. */
  readonly files: readonly string[];
  readonly except?: readonly string[];
  /** If set, the rule does not apply to tests. */
  readonly tests?: 'exempt';
  readonly violations: (modules: readonly SourceModule[], tree: SourceTree) => Violation[];
}

export interface Evaluation {
  readonly files: number;
  readonly imports: number;
  readonly rules: number;
  readonly problems: readonly string[];
}

/** Evaluates rules on a tree. A rule that matches no file is a problem itself, because it would check nothing. */
export function evaluateRules(tree: SourceTree, rules: readonly Rule[]): Evaluation {
  const problems = rules.flatMap((rule) => {
    const seen = tree.modules.filter((module) => appliesTo(rule, module));
    if (seen.length === 0) return [`rule ${rule.name} matched no file (${rule.files.join(', ')}): it checks nothing`];
    return rule
      .violations(seen, tree)
      .map(({ path, line, what }) => `${path}:${line} ${what} [${rule.name}: ${rule.reason}]`);
  });
  return {
    files: tree.modules.length,
    imports: tree.modules.reduce((sum, { imports }) => sum + imports.length, 0),
    rules: rules.length,
    problems: tree.modules.length === 0 ? ['no source file was found: nothing was checked'] : problems,
  };
}

function appliesTo({ files, except = [], tests }: Rule, module: SourceModule): boolean {
  if (tests === 'exempt' && module.isTest) return false;
  const matches = (glob: string): boolean => matchesGlob(module.path, glob);
  return files.some(matches) && !except.some(matches);
}

/** Returns a rule's check that examines each import. `wrong` returns the message of a violation. */
export const eachImport =
  (wrong: (found: TargetedImport, module: SourceModule, tree: SourceTree) => string | undefined): Rule['violations'] =>
  (modules, tree) =>
    modules.flatMap((module) =>
      module.imports.flatMap((found) => {
        const what = wrong(found, module, tree);
        return what === undefined ? [] : [{ path: module.path, line: found.line, what }];
      }),
    );

/** Whether an import matches a pattern. `{own}` is the folder of the file's package; `type ` before a glob matches type-only imports. */
const reaches = (pattern: string, found: TargetedImport, module: SourceModule): boolean => {
  const [, typeOnly, glob = ''] = /^(type )?(.*)$/.exec(pattern) ?? [];
  if (typeOnly !== undefined && !found.typeOnly) return false;
  return matchesGlob(found.target, glob.replace('{own}', module.owner.dir));
};

/** Only these may be imported. */
export const only = (...patterns: readonly string[]): Rule['violations'] =>
  eachImport((found, module) =>
    patterns.some((pattern) => reaches(pattern, found, module)) ? undefined : `imports ${found.target}`,
  );

/** None of these may be imported. */
export const never = (...patterns: readonly string[]): Rule['violations'] =>
  eachImport((found, module) =>
    patterns.some((pattern) => reaches(pattern, found, module)) ? `imports ${found.target}` : undefined,
  );

/** None of these may be imported, except the package's own files. */
export const noOther = (...patterns: readonly string[]): Rule['violations'] =>
  eachImport((found, module) => {
    const isOwn = reaches('{own}/**', found, module);
    return !isOwn && patterns.some((pattern) => reaches(pattern, found, module))
      ? `imports ${found.target}`
      : undefined;
  });

/** None of these globals may be used. */
export const noGlobals =
  (...names: readonly string[]): Rule['violations'] =>
  (modules) =>
    modules.flatMap(({ path, globals }) =>
      globals
        .filter(({ name }) => names.includes(name))
        .map(({ name, line }) => ({ path, line, what: `uses ${name}` })),
    );
