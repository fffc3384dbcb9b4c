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
  const who = ['-c', 'user.name=t', '-c', 'user.email=t@example.com', '-c', 'commit.gpgsign=false'];
  execFileSync('git', [...who, ...words], { cwd: dir, stdio: 'ignore' });
};
const commit = (): void => {
  git('add', '.');
  git('commit', '-q', '--allow-empty', '-m', 'a commit');
};
const write = (fields: string): void => {
  mkdirSync(join(dir, 'proto'), { recursive: true });
  writeFileSync(join(dir, 'proto/page.proto'), page(fields));
  writeFileSync(join(dir, 'buf.yaml'), BUF);
};

it('has nothing to compare with outside a clone, and where no commit has a proto', async () => {
  write('  string url = 1;');
  const nothing = { summary: 'no earlier proto to compare with', problems: [] };
  expect(await protoBreaking(dir).run()).toEqual(nothing);
  rmSync(join(dir, 'proto'), { recursive: true });
  git('init', '-q');
  commit();
  write('  string url = 1;');
  expect(await protoBreaking(dir).run()).toEqual(nothing);
});

it('compares work not committed with the last commit', async () => {
  git('init', '-q');
  write('  string url = 1;');
  commit();
  write('  string url = 1;\n  string title = 2;');
  expect(await protoBreaking(dir).run()).toEqual({ summary: 'against HEAD', problems: [] });
  write('  int64 url = 1;');
  const { problems } = await protoBreaking(dir).run();
  expect(problems).toEqual([expect.stringMatching(/^against HEAD:\n.*changed type from "string" to "int64"/)]);
});

it('compares the last commit with its parent', async () => {
  git('init', '-q');
  write('  string url = 1;');
  commit();
  write('  int64 url = 1;');
  commit();
  const { summary, problems } = await protoBreaking(dir).run();
  expect(summary).toBe('against HEAD and HEAD^1');
  expect(problems).toEqual([expect.stringContaining('against HEAD^1:')]);
});
