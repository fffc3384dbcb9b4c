import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { forbiddenSkips, readReport, skipLines, tallyLine } from './report.ts';
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

describe('the programs that start jest', () => {
  it.each(['tools/test.ts', 'tools/testing/run-suite.ts'])('load outside of jest: %s', (program) => {
    const load = `await import(${JSON.stringify(join(import.meta.dirname, '../..', program))})`;
    const flags = ['--conditions=tidemark-source', '--input-type=module', '--eval', load];
    expect(() => execFileSync(process.execPath, flags, { stdio: 'pipe' })).not.toThrow();
  });
});

describe('skipped tests', () => {
  const reportOf = (...tests: readonly { fullName: string; ancestorTitles: readonly string[] }[]) => {
    const assertionResults = tests.map((test) => ({ status: 'pending', ...test }));
    return readReport(written({ testResults: [{ name: join(dir, 'x.test.ts'), assertionResults }] }), dir);
  };
  const skippedIn = (fullName: string, ...ancestorTitles: readonly string[]) => ({ fullName, ancestorTitles });

  it('are counted by kind, with what the machine lacks', () => {
    const report = reportOf(
      skippedIn('a', 'needs python-3.11'),
      skippedIn('b', 'the chart', 'needs helm'),
      skippedIn('c', 'needs python-3.11', 'the client'),
    );
    expect(skipLines(report)).toEqual([
      'SKIPPED 1 × helm: this machine lacks helm, which is fetched at the first run',
      'SKIPPED 2 × python-3.11: this machine lacks Python 3.11 or later',
    ]);
    expect(forbiddenSkips(report)).toEqual([]);
  });

  it('fail the run where they have no kind or an unknown one, whatever their titles state', () => {
    const report = reportOf(
      skippedIn('a (corpus absent: /corpora/a)', 'a suite'),
      skippedIn('b', 'needs python-2'),
      skippedIn('needs helm'),
    );
    expect(forbiddenSkips(report)).toEqual([
      'x.test.ts: a (corpus absent: /corpora/a)',
      'x.test.ts: b',
      'x.test.ts: needs helm',
    ]);
  });

  it('fail the run where a test is a todo', () => {
    const assertionResults = [
      { status: 'passed', fullName: 'a' },
      { status: 'todo', fullName: 'd' },
    ];
    const report = readReport(written({ testResults: [{ name: join(dir, 'x.test.ts'), assertionResults }] }), dir);
    expect(forbiddenSkips(report)).toEqual(['x.test.ts: d']);
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
