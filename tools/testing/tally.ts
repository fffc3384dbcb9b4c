import { readFileSync } from 'node:fs';
import { isRecord } from '../lints/ast.ts';

/** How many tests came to what. */
export interface Tally {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** Reads jest's report; a file of tests that could not be run at all counts as one failed, and so does a report that isn't there. */
export function readTally(reportFile: string): Tally {
  const report = parsed(reportFile);
  if (report === undefined) return { passed: 0, failed: 1, skipped: 0 };
  const count = (field: string): number => (typeof report[field] === 'number' ? report[field] : 0);
  return {
    passed: count('numPassedTests'),
    failed: count('numFailedTests') + count('numRuntimeErrorTestSuites'),
    skipped: count('numPendingTests') + count('numTodoTests'),
  };
}

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
