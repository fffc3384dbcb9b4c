import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import { readTally, tallyLine } from './tally.ts';

const dir = mkdtempSync(join(tmpdir(), 'tidemark-tally-'));
afterAll(() => rmSync(dir, { recursive: true }));

it('counts a file of tests that could not run as failed, and a test to be written as skipped', () => {
  const file = join(dir, 'report.json');
  const report = {
    numPassedTests: 5,
    numFailedTests: 1,
    numRuntimeErrorTestSuites: 2,
    numPendingTests: 3,
    numTodoTests: 1,
  };
  writeFileSync(file, JSON.stringify(report));
  expect(tallyLine(readTally(file))).toBe('5 passed, 3 failed, 4 skipped');
});

it('never takes a missing or broken report for a green run', () => {
  const broken = join(dir, 'broken.json');
  writeFileSync(broken, '{"numPassed');
  expect([join(dir, 'none.json'), broken].map((file) => readTally(file).failed)).toEqual([1, 1]);
});
