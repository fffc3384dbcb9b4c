import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { forbiddenSkips, readReport, tallyLine } from './report.ts';
import { ringOf, timingLines } from './timings.ts';

const dir = mkdtempSync(join(tmpdir(), 'tidemark-report-'));
afterAll(() => rmSync(dir, { recursive: true }));

const written = (report: object): string => {
  const file = join(dir, 'report.json');
  writeFileSync(file, JSON.stringify(report));
  return file;
};

describe('the tally of a run', () => {
  it('counts a test file that could not run as failed, and a todo as skipped', () => {
    const report = {
      numPassedTests: 5,
      numFailedTests: 1,
      numRuntimeErrorTestSuites: 2,
      numPendingTests: 3,
      numTodoTests: 1,
    };
    expect(tallyLine(readReport(written(report), dir).tally)).toBe('5 passed, 3 failed, 4 skipped');
  });

  it('counts a missing or broken report as failed', () => {
    const broken = join(dir, 'broken.json');
    writeFileSync(broken, '{"numPassed');
    const files = [join(dir, 'none.json'), broken];
    expect(files.map((file) => readReport(file, dir).tally.failed)).toEqual([1, 1]);
  });
});

describe('skipped tests', () => {
  it('are forbidden unless their title states that a corpus is absent', () => {
    const assertionResults = [
      { status: 'passed', fullName: 'a' },
      { status: 'pending', fullName: 'b (corpus absent: /corpora/b)' },
      { status: 'pending', fullName: 'c' },
      { status: 'todo', fullName: 'd' },
    ];
    const report = readReport(written({ testResults: [{ name: join(dir, 'x.test.ts'), assertionResults }] }), dir);
    expect(forbiddenSkips(report)).toEqual(['x.test.ts: c', 'x.test.ts: d']);
  });
});

describe('the timings of a run', () => {
  it('are summed by ring, and the slowest files are listed first', () => {
    const result = (name: string, ms: number) => ({
      name: join(dir, name),
      startTime: 1_000,
      endTime: 1_000 + ms,
      assertionResults: [{ status: 'passed', fullName: 'a' }],
    });
    const testResults = [
      result('libs/errors/src/a.test.ts', 500),
      result('services/map/test/b.test.ts', 2_500),
      result('test/e2e/c.test.ts', 1_500),
      result('services/map/test/d.test.ts', 9_000),
    ];
    const lines = timingLines(readReport(written({ testResults }), dir).files, 2);
    expect(lines.map((line) => line.trim().replaceAll(/\s+/g, ' '))).toEqual([
      'units 1 files 1 tests 0.5 s',
      'services 2 files 2 tests 11.5 s',
      'fleet 1 files 1 tests 1.5 s',
      'the 2 slowest files:',
      '9.0 s services/map/test/d.test.ts',
      '2.5 s services/map/test/b.test.ts',
    ]);
  });

  it('divide the test files into units, services and the fleet', () => {
    const paths = [
      'services/map/src/x.test.ts',
      'tools/x.test.ts',
      'libs/jobs/src/x.test.ts',
      'services/map/test/x.test.ts',
    ];
    expect(paths.map(ringOf)).toEqual(['units', 'units', 'units', 'services']);
    expect(ringOf('test/isolation/keys.test.ts')).toBe('fleet');
  });
});
