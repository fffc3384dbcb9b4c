import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { commandOf } from '../test-all.ts';
import type { Report } from './report.ts';
import { readResult, summaryLines, writeResult } from './suite-result.ts';
import { RESULT_FILE, SUITES } from './suites.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const dir = mkdtempSync(join(tmpdir(), 'tidemark-result-'));
afterAll(() => rmSync(dir, { recursive: true }));

const read = (name: string): string => readFileSync(join(ROOT, name), 'utf8');

describe('the suites of test:all', () => {
  it('are those that docs/commands.md lists, in its order', () => {
    const names = read('docs/commands.md').matchAll(/^\| `npm (?:run )?(test(?::[\w-]+)?)`/gm);
    expect([...names].map(([, name]) => name).filter((name) => name !== 'test:all')).toEqual([...SUITES]);
  });

  it('are those that package.json has a script for', () => {
    const scripts = [...read('package.json').matchAll(/^ {4}"(test(?::[\w-]+)?)":/gm)].map(([, name]) => name);
    expect(scripts.filter((name) => name !== 'test:all').sort()).toEqual([...SUITES].sort());
    for (const suite of SUITES) expect(commandOf(suite, read('package.json')).at(-1)).toMatch(/\.ts$/);
  });
});

describe('the result of a suite', () => {
  const file = join(dir, 'result.json');
  const skipped = [{ name: 'a', kind: 'helm' as const }];
  const tally = { passed: 4, failed: 0, skipped: 1 };
  const report: Report = { tally, files: [{ path: 'x.test.ts', seconds: 1, tests: 5, tally, skipped }] };

  it('is read as it was written', () => {
    process.env[RESULT_FILE] = file;
    writeResult(tally, report);
    expect(readResult(file, 0)).toEqual({ passed: 4, failed: 0, skipped: { helm: 1 } });
  });

  it('counts a failed test where the suite ended with an error or without a result', () => {
    writeFileSync(file, JSON.stringify({ passed: 4, failed: 0, skipped: {} }));
    expect(readResult(file, 1)).toMatchObject({ passed: 4, failed: 1 });
    expect(readResult(join(dir, 'none.json'), 0)).toEqual({ passed: 0, failed: 1, skipped: {} });
  });

  it('is a line of the summary, with what was skipped by kind', () => {
    const rows = [
      { suite: 'test', result: { passed: 18_000, failed: 0, skipped: {} }, seconds: 480.4 },
      { suite: 'test:faults', result: { passed: 60, failed: 2, skipped: { helm: 3, mount: 1 } }, seconds: 900 },
    ] as const;
    expect(summaryLines(rows)).toEqual([
      'suite                  passed  failed  seconds  skipped',
      'test                    18000       0      480  0',
      'test:faults                60       2      900  3 × helm, 1 × mount',
    ]);
  });
});
