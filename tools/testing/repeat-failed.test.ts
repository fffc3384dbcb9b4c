import { expect, it } from '@jest/globals';
import { filesToRepeat, unstableLines, withRepeated } from './repeat-failed.ts';
import type { Report, Tally, TestFile } from './report.ts';

const file = (path: string, tally: Tally): TestFile => ({ path, seconds: 1, tests: 3, tally, skipped: [] });
const PASSED = { passed: 3, failed: 0, skipped: 0 };
const FAILED = { passed: 2, failed: 1, skipped: 0 };
const reportOf = (...files: readonly TestFile[]): Report => {
  const sum = (of: keyof Tally) => files.reduce((total, { tally }) => total + tally[of], 0);
  return { files, tally: { passed: sum('passed'), failed: sum('failed'), skipped: sum('skipped') } };
};

it('runs up to three failed files once more, and none where more failed', () => {
  const failed = ['a', 'b', 'c', 'd'].map((path) => file(path, FAILED));
  expect(filesToRepeat(reportOf(...failed.slice(0, 3), file('e', PASSED)))).toEqual(['a', 'b', 'c']);
  expect(filesToRepeat(reportOf(...failed))).toEqual([]);
});

it('counts a repeated file with its second result, and names it where it passed', () => {
  const first = reportOf(file('a', FAILED), file('b', FAILED), file('c', PASSED));
  const second = reportOf(file('a', PASSED), file('b', FAILED));
  expect(withRepeated(first, second).tally).toEqual({ passed: 8, failed: 1, skipped: 0 });
  expect(unstableLines(first, second)).toEqual(['UNSTABLE a: 1 failed in the whole run, 0 failed alone']);
});

it('keeps the failures of a run whose repetition has no report', () => {
  const first = reportOf(file('a', FAILED));
  const none = { files: [], tally: { passed: 0, failed: 1, skipped: 0 } };
  expect(withRepeated(first, none).tally.failed).toBe(2);
});
