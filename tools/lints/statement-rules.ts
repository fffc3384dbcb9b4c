import { matchesGlob } from 'node:path';
import type { Rule, Violation } from './rule.ts';
import type { SourceModule } from './source-tree.ts';

interface Exception {
  readonly files: string;
  readonly because: string;
}

/** The files that send statements which no schema describes. */
export const RAW_STATEMENTS: readonly Exception[] = [
  {
    files: 'services/export/src/destinations/{postgres,mysql,clickhouse}/**',
    because: 'the database of a user, whose tables no schema of a service describes',
  },
];

/** Returns raw statements that no exception allows, and exceptions that no file uses. */
export function rawStatementViolations(
  modules: readonly SourceModule[],
  exceptions: readonly Exception[],
): Violation[] {
  const used = new Set<Exception>();
  const violations = modules.flatMap(({ path, rawStatements }) => {
    if (rawStatements.length === 0) return [];
    const exception = exceptions.find(({ files }) => matchesGlob(path, files));
    if (exception === undefined)
      return rawStatements.map((line) => ({ path, line, what: 'sends a statement with `query`' }));
    used.add(exception);
    return [];
  });
  const idle = exceptions.filter((exception) => !used.has(exception));
  return [
    ...violations,
    ...idle.map(({ files }) => ({
      path: files,
      line: 1,
      what: 'may send raw statements and sends none: delete the line in tools/lints/statement-rules.ts',
    })),
  ];
}

export const STATEMENT_RULES: readonly Rule[] = [
  {
    name: 'typed-statement',
    reason:
      'libs/sql builds and runs statements, so that columns and rows are checked; an exception needs a line and a reason in tools/lints/statement-rules.ts',
    files: ['services/*/src/**'],
    tests: 'exempt',
    violations: (modules) => rawStatementViolations(modules, RAW_STATEMENTS),
  },
];
