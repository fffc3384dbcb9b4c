import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import { isAlive } from '../../deploy/local/processes.ts';
import { endLeftBehind } from './left-behind.ts';

const dir = mkdtempSync(join(tmpdir(), 'tidemark-left-'));
afterAll(() => rmSync(dir, { recursive: true }));

it.each([
  ['works in the folder', { cwd: dir }],
  ['was given the folder', { env: { TMPDIR: dir } }],
])('ends and names a process that %s', async (_, options) => {
  const child = spawn('/bin/sleep', ['300'], { ...options, stdio: 'ignore' });
  const left = await endLeftBehind(dir);
  expect(left).toEqual([`${child.pid} /bin/sleep 300`]);
  expect(isAlive(child.pid ?? 0)).toBe(false);
});

it('leaves the others alone', async () => {
  const child = spawn('/bin/sleep', ['300'], { cwd: tmpdir(), env: {}, stdio: 'ignore' });
  expect(await endLeftBehind(dir)).toEqual([]);
  expect(isAlive(child.pid ?? 0)).toBe(true);
  child.kill('SIGKILL');
});
