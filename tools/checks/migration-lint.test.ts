import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { migrationLint } from './migration-lint.ts';

const NODE_MODULES = resolve(import.meta.dirname, '../../node_modules');
let dir = '';
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'tidemark-migrations-'));
  symlinkSync(NODE_MODULES, join(dir, 'node_modules'));
  git('init', '-q');
  migration('1_init', 'CREATE TABLE pages (id text PRIMARY KEY, url text NOT NULL);');
  git('add', 'services');
  git('commit', '-q', '-m', 'release');
  git('tag', 'v1.0.0');
});
afterEach(() => rmSync(dir, { recursive: true }));

const git = (...words: readonly string[]): void => {
  const identity = ['-c', 'user.name=t', '-c', 'user.email=t@example.com', '-c', 'commit.gpgsign=false'];
  execFileSync('git', [...identity, ...words], { cwd: dir, stdio: 'ignore' });
};
const migration = (name: string, text: string): void => {
  const folder = join(dir, 'services/archive/prisma/migrations', name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'migration.sql'), `${text}\n`);
};
const problems = async (): Promise<string> => (await migrationLint(dir).run()).problems.join('\n');

it.each([
  'ALTER TABLE pages ADD COLUMN title text;',
  'CREATE TABLE words (id text PRIMARY KEY);',
  'CREATE INDEX CONCURRENTLY pages_url_idx ON pages (url);',
])('the check of migrations accepts an expansion: %s', async (statement) => {
  migration('2_next', statement);
  expect(await problems()).toBe('');
});

it.each([
  'ALTER TABLE pages DROP COLUMN url;',
  'ALTER TABLE pages RENAME COLUMN url TO address;',
  'ALTER TABLE pages ALTER COLUMN url TYPE integer USING 1;',
  'ALTER TABLE pages ADD COLUMN title text NOT NULL;',
  'ALTER TABLE pages ALTER COLUMN url SET NOT NULL;',
  'CREATE INDEX pages_url_idx ON pages (url);',
  'DROP TABLE pages;',
])('the check of migrations refuses what the release before could not run with: %s', async (statement) => {
  migration('2_next', statement);
  expect(await problems()).toContain('2_next/migration.sql');
});

it('the check of migrations refuses a change of a released migration', async () => {
  migration('1_init', 'CREATE TABLE pages (id text PRIMARY KEY, url text NOT NULL, title text);');
  expect(await problems()).toContain('1_init/migration.sql is part of v1.0.0 and was changed');
});
