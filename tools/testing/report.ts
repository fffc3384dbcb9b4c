import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { SKIP_KINDS, type SkipKind, skipKindOf } from '@tidemark/testkit/skip-kinds';
import { isRecord } from '../lints/ast.ts';

/** Count of tests by result. */
export interface Tally {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** A test that did not run. */
export interface SkippedTest {
  /** Its full name. */
  readonly name: string;
  /** What the machine lacks; undefined for a test that was skipped for no declared reason. */
  readonly kind: SkipKind | undefined;
}

/** One test file of a run. */
export interface TestFile {
  /** From the root of the repository. */
  readonly path: string;
  readonly seconds: number;
  readonly tests: number;
  /** Count of its tests by result; a file that could not run counts as one failed test. */
  readonly tally: Tally;
  readonly skipped: readonly SkippedTest[];
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
      .map(({ fullName, ancestorTitles }) => ({ name: String(fullName), kind: skipKindOf(texts(ancestorTitles)) })),
  };
}

const count = (record: Record<string, unknown>, field: string): number =>
  typeof record[field] === 'number' ? record[field] : 0;

const list = (value: unknown): Record<string, unknown>[] => (Array.isArray(value) ? value.filter(isRecord) : []);

const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];

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

/** Returns the number of skipped tests by kind, in the order of the kinds' names. */
export function skipsByKind({ files }: Report): Partial<Record<SkipKind, number>> {
  const kinds = files.flatMap(({ skipped }) => skipped.flatMap(({ kind }) => kind ?? []));
  const counts: Partial<Record<SkipKind, number>> = {};
  for (const kind of kinds.sort()) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

/** Lines that state how many tests were skipped by kind, and what each kind needs. */
export const skipLines = (report: Report): string[] =>
  Object.entries(skipsByKind(report)).map(
    ([kind, tests]) => `SKIPPED ${tests} × ${kind}: this machine lacks ${needOf(kind)}`,
  );

const needOf = (kind: string): string => Object.entries(SKIP_KINDS).find(([name]) => name === kind)?.[1] ?? kind;

/** Skipped tests that fail a run: those without a kind. */
export const forbiddenSkips = ({ files }: Report): string[] =>
  files.flatMap(({ path, skipped }) =>
    skipped.filter(({ kind }) => kind === undefined).map(({ name }) => `${path}: ${name}`),
  );
