import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from '@jest/globals';

const ROOT = resolve(import.meta.dirname, '../..');
const dir = mkdtempSync(join(tmpdir(), 'native-runner-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const CONFIG = {
  rootDir: dir,
  transform: {},
  testEnvironment: join(ROOT, 'tools/testing/native-environment.ts'),
  testRunner: join(ROOT, 'tools/testing/native-runner.ts'),
};

interface Ran {
  readonly testResults: readonly {
    readonly status: string;
    readonly message: string;
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
}

/** Runs jest with the runner on one test file. */
async function runFile(name: string, text: string, args: readonly string[] = []): Promise<Ran['testResults'][number]> {
  const [file, report] = [join(dir, `${name}.test.ts`), join(dir, `${name}.json`)];
  writeFileSync(file, text);
  const jest = join(ROOT, 'node_modules/jest/bin/jest.js');
  const words = [jest, '--config', JSON.stringify(CONFIG), '--json', `--outputFile=${report}`, ...args, file];
  // Jest ends with 1 where a test fails.
  await promisify(execFile)(process.execPath, words, { cwd: ROOT }).catch(() => undefined);
  const { testResults }: Ran = JSON.parse(readFileSync(report, 'utf8'));
  const [result] = testResults;
  if (result === undefined) throw new Error('jest reported no file');
  return result;
}

const statuses = ({ assertionResults }: Ran['testResults'][number]) =>
  Object.fromEntries(assertionResults.map(({ fullName, status }) => [fullName, status]));

test('the runner reports each test by its result, and an error that nothing catches as a failure of the test that was running', async () => {
  const result = await runFile(
    'results',
    `import { describe, expect, it } from '@jest/globals';
     const turn = () => new Promise((resolve) => setImmediate(resolve));
     describe('a group', () => {
       it('passes', () => expect(1).toBe(1));
       it('fails', () => expect(1).toBe(2));
       it.skip('is skipped', () => undefined);
       it('rejects', async () => { void Promise.reject(new Error('nothing handles this')); await turn(); });
       it('throws', async () => { setImmediate(() => { throw new Error('elsewhere'); }); await turn(); await turn(); });
       it('handles', async () => { const late = Promise.reject(new Error('late')); await turn(); await late.catch(() => undefined); });
       it('is slow', () => new Promise(() => undefined), 50);
     });`,
  );
  expect(statuses(result)).toEqual({
    'a group passes': 'passed',
    'a group fails': 'failed',
    'a group is skipped': 'pending',
    'a group rejects': 'failed',
    'a group throws': 'failed',
    'a group handles': 'passed',
    'a group is slow': 'failed',
  });
  expect(result.message).toContain('nothing handles this');
  expect(result.message).toContain('Exceeded timeout of 50 ms');
});

test('the runner fails a file that can not be loaded or whose last hook throws, and runs the tests of a pattern only', async () => {
  const broken = await runFile('broken', `import './nothing.ts';`);
  expect(broken).toMatchObject({ status: 'failed', message: expect.stringContaining('nothing.ts') });
  const hook = `import { afterAll, it } from '@jest/globals'; it('a', () => undefined); it('b', () => undefined);`;
  const ended = await runFile('hook', `${hook} afterAll(() => { throw new Error('after all'); });`);
  expect(ended).toMatchObject({ status: 'failed', message: expect.stringContaining('after all') });
  expect(statuses(await runFile('chosen', hook, ['-t', 'b']))).toEqual({ a: 'pending', b: 'passed' });
});
