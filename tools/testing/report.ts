import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { isRecord } from '../lints/ast.ts';

/** Count of tests by result. */
export interface Tally {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** One test file of a run. */
export interface TestFile {
  /** From the root of the repository. */
  readonly path: string;
  readonly seconds: number;
  readonly tests: number;
  /** Count of its tests by result; a file that could not run counts as one failed test. */
  readonly tally: Tally;
  /** Full names of its skipped tests. */
  readonly skipped: readonly string[];
}

export interface Report {
  readonly tally: Tally;
  readonly files: readonly TestFile[];
}

/**
 * Reads jest's JSON report. A test file that could not run counts as one failed test, and so does a report that is missing or broken.
 * @param root what file paths are relative to
 */
export function readReport(reportFile: string, root: string): Report {
  const report = parsed(reportFile);
  if (report === undefined) return { tally: { passed: 0, failed: 1, skipped: 0 }, files: [] };
  const tally = {
    passed: count(report, 'numPassedTests'),
    failed: count(report, 'numFailedTests') + count(report, 'numRuntimeErrorTestSuites'),
    skipped: count(report, 'numPendingTests') + count(report, 'numTodoTests'),
  };
  return { tally, files: list(report['testResults']).map((file) => readFile(file, root)) };
}

function readFile(file: Record<string, unknown>, root: string): TestFile {
  const tests = list(file['assertionResults']);
  const having = (...statuses: readonly string[]): number =>
    tests.filter(({ status }) => statuses.includes(String(status))).length;
  const failed = having('failed');
  return {
    path: relative(root, String(file['name'])),
    seconds: Math.max(0, count(file, 'endTime') - count(file, 'startTime')) / 1000,
    tests: tests.length,
    tally: {
      passed: having('passed'),
      failed: failed === 0 && file['status'] === 'failed' ? 1 : failed,
      skipped: having('pending', 'todo'),
    },
    skipped: tests
      .filter(({ status }) => status === 'pending' || status === 'todo')
      .map(({ fullName }) => String(fullName)),
  };
}

const count = (record: Record<string, unknown>, field: string): number =>
  typeof record[field] === 'number' ? record[field] : 0;

const list = (value: unknown): Record<string, unknown>[] => (Array.isArray(value) ? value.filter(isRecord) : []);

function parsed(file: string): Record<string, unknown> | undefined {
  try {
    const report: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return isRecord(report) ? report : undefined;
  } catch {
    return undefined; // jest ended before it could write one
  }
}

/** The last line of a run, for people and for programs. */
export const tallyLine = ({ passed, failed, skipped }: Tally): string =>
  `${passed} passed, ${failed} failed, ${skipped} skipped`;

const CORPUS_ABSENT = /corp(us|ora is) absent/;

/** Skipped tests that fail a run: all but those whose title states that their corpus is absent. */
export const forbiddenSkips = ({ files }: Report): string[] =>
  files.flatMap(({ path, skipped }) =>
    skipped.filter((name) => !CORPUS_ABSENT.test(name)).map((name) => `${path}: ${name}`),
  );
