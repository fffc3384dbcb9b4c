import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { protoBreaking } from './proto-breaking.ts';

const NODE_MODULES = resolve(import.meta.dirname, '../../node_modules');
const BUF = 'version: v2\nmodules:\n  - path: proto\nbreaking:\n  use:\n    - FILE\n';
const page = (fields: string): string => `syntax = "proto3";\npackage page.v1;\nmessage Page {\n${fields}\n}\n`;

let dir = '';
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'tidemark-breaking-'));
  symlinkSync(NODE_MODULES, join(dir, 'node_modules'));
});
afterEach(() => rmSync(dir, { recursive: true }));

const git = (...words: readonly string[]): void => {
  const identity = ['-c', 'user.name=t', '-c', 'user.email=t@example.com', '-c', 'commit.gpgsign=false'];
  execFileSync('git', [...identity, ...words], { cwd: dir, stdio: 'ignore' });
};
const commit = (): void => {
  git('add', '.');
  git('commit', '-q', '--allow-empty', '-m', 'commit');
};
const write = (fields: string): void => {
  mkdirSync(join(dir, 'proto'), { recursive: true });
  writeFileSync(join(dir, 'proto/page.proto'), page(fields));
  writeFileSync(join(dir, 'buf.yaml'), BUF);
};

it('compares nothing outside a clone or without a release', async () => {
  write('  string url = 1;');
  const nothing = { summary: 'no release to compare with', problems: [] };
  expect(await protoBreaking(dir).run()).toEqual(nothing);
  git('init', '-q');
  commit();
  write('  int64 url = 1;');
  expect(await protoBreaking(dir).run()).toEqual(nothing);
});

it('compares uncommitted changes with the newest release', async () => {
  git('init', '-q');
  write('  string url = 1;');
  commit();
  git('tag', 'v1.0.0');
  write('  string url = 1;\n  string title = 2;');
  expect(await protoBreaking(dir).run()).toEqual({ summary: 'against v1.0.0', problems: [] });
  write('  int64 url = 1;');
  const { problems } = await protoBreaking(dir).run();
  expect(problems).toEqual([expect.stringMatching(/^against v1\.0\.0:\n.*changed type from "string" to "int64"/)]);
});

it('compares all commits since the newest release, and no earlier release', async () => {
  git('init', '-q');
  write('  int32 url = 1;');
  commit();
  git('tag', 'v1.0.0');
  write('  string url = 1;');
  commit();
  git('tag', 'v2.0.0');
  expect((await protoBreaking(dir).run()).problems).toEqual([]);
  write('  int64 url = 1;');
  commit();
  write('  int64 url = 1;\n  string title = 2;');
  commit();
  const { summary, problems } = await protoBreaking(dir).run();
  expect(summary).toBe('against v2.0.0');
  expect(problems).toEqual([expect.stringContaining('against v2.0.0:')]);
});
