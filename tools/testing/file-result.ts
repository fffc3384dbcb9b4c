import type { Circus } from '@jest/types';
import { formatResultsErrors } from 'jest-message-util';
import { boundFailures } from './bound-failures.ts';

type Tested = Circus.RunResult['testResults'][number];
type Status = 'failed' | 'passed' | 'pending' | 'todo';

/** One test, as reporters of jest read it. */
export interface AssertionResult {
  readonly ancestorTitles: string[];
  readonly title: string;
  readonly fullName: string;
  readonly status: Status;
  readonly duration: number | null;
  readonly failureMessages: string[];
  readonly failureDetails: unknown[];
  readonly numPassingAsserts: number;
}

/** The tests of a file, as a test runner returns them to jest. */
export interface FileResult {
  readonly testFilePath: string;
  readonly testResults: AssertionResult[];
  readonly numPassingTests: number;
  readonly numFailingTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  /** Undefined: every test passed, and nothing failed outside of them. */
  readonly testExecError: { readonly message: string; readonly stack: string } | undefined;
  readonly failureMessage: string | null;
  readonly console: undefined;
  readonly leaks: false;
  readonly openHandles: [];
  readonly skipped: boolean;
  readonly perfStats: { readonly start: number; readonly end: number; readonly runtime: number; readonly slow: false };
  readonly snapshot: Readonly<Record<string, unknown>>;
}

/** Snapshots are not used. */
const NO_SNAPSHOTS = {
  added: 0,
  fileDeleted: false,
  matched: 0,
  unchecked: 0,
  uncheckedKeys: [],
  unmatched: 0,
  updated: 0,
};

function statusOf({ status, errors }: Tested): Status {
  if (status === 'skip') return 'pending';
  if (status === 'todo') return 'todo';
  return errors.length > 0 ? 'failed' : 'passed';
}

function toAssertion(tested: Tested): AssertionResult {
  // The first name is that of the file's own block.
  const names = tested.testPath.slice(1);
  return {
    ancestorTitles: names.slice(0, -1),
    title: names.at(-1) ?? '',
    fullName: names.join(' '),
    status: statusOf(tested),
    duration: tested.duration ?? null,
    failureMessages: [...tested.errors],
    failureDetails: [...tested.errorsDetailed],
    numPassingAsserts: tested.numPassingAsserts,
  };
}

/** Converts what jest-circus returns for a file to what jest expects of a test runner. `startedAt`: ms since 1970. */
export function fileResultOf(
  { testResults, unhandledErrors }: Circus.RunResult,
  {
    testPath,
    startedAt,
    config,
  }: {
    readonly testPath: string;
    readonly startedAt: number;
    readonly config: Parameters<typeof formatResultsErrors>[1];
  },
): FileResult {
  const results = testResults.map(toAssertion);
  const having = (status: Status): number => results.filter((one) => one.status === status).length;
  const stack = unhandledErrors.join('\n\n');
  const report = formatResultsErrors(results, config, { noStackTrace: false }, testPath);
  const failureMessage = [
    unhandledErrors.length > 0 ? `  ● Test suite failed to run\n\n${stack}` : null,
    report,
  ].filter((text) => text !== null);
  const end = Date.now();
  return {
    testFilePath: testPath,
    testResults: results,
    numPassingTests: having('passed'),
    numFailingTests: having('failed'),
    numPendingTests: having('pending'),
    numTodoTests: having('todo'),
    testExecError: unhandledErrors.length > 0 ? { message: '', stack } : undefined,
    failureMessage: failureMessage.length > 0 ? boundFailures(failureMessage.join('\n')) : null,
    console: undefined,
    leaks: false,
    openHandles: [],
    skipped: results.length > 0 && results.every(({ status }) => status === 'pending'),
    perfStats: { start: startedAt, end, runtime: end - startedAt, slow: false },
    snapshot: NO_SNAPSHOTS,
  };
}
