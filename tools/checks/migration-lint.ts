import { globSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from '../run-command.ts';
import type { Check } from './check.ts';
import { newestRelease } from './proto-breaking.ts';

/**
 * Rules of squawk (https://squawkhq.com) that are off: matters of taste, and `require-timeout-settings`. `deploy/migrate.ts` sets no `lock_timeout`: Prisma records a
 * migration that a timeout ended as failed and then refuses every further one.
 */
const EXCLUDED = [
  'prefer-text-field',
  'prefer-bigint-over-int',
  'prefer-robust-stmts',
  'prefer-identity',
  'prefer-timestamptz',
  'require-timeout-settings',
];

/**
 * Checks the migrations that are newer than the newest release (tag `v*`). During an upgrade the release before runs on the migrated schema: nothing
 * that it reads or writes may be dropped, renamed, retyped or required, and no table may be locked for the time of a scan.
 */
export const migrationLint = (root: string): Check => ({
  name: 'migrations',
  async run() {
    const release = await newestRelease(root);
    if (release === undefined) return { summary: 'no release to compare with', problems: [] };
    const released = await migrationsAt(root, release);
    const files = globSync('services/*/prisma/migrations/*/migration.sql', { cwd: root }).filter(
      (file) => !released.has(file),
    );
    const changed = await changedSince(root, release, released);
    const problems = changed.map((file) => `${file} is part of ${release} and was changed; expected a new migration`);
    if (files.length > 0) problems.push(...(await findings(root, files)));
    return { summary: `${files.length} newer than ${release}`, problems };
  },
});

async function migrationsAt(root: string, release: string): Promise<Set<string>> {
  const { ok, output } = await runCommand(['git', 'ls-tree', '-r', '--name-only', release, '--', 'services'], root);
  if (!ok) throw new Error(`the files of ${release} could not be listed: ${output}`);
  return new Set(output.split('\n').filter((file) => file.endsWith('/migration.sql')));
}

async function changedSince(root: string, release: string, released: ReadonlySet<string>): Promise<string[]> {
  if (released.size === 0) return [];
  const { ok, output } = await runCommand(['git', 'diff', '--name-only', release, '--', ...released], root);
  if (!ok) throw new Error(`the migrations could not be compared with ${release}: ${output}`);
  return output.split('\n').filter((file) => file !== '');
}

async function findings(root: string, files: readonly string[]): Promise<string[]> {
  const options = [
    '--assume-in-transaction',
    '--pg-version',
    '18.0',
    ...EXCLUDED.flatMap((rule) => ['--exclude', rule]),
  ];
  const { ok, output } = await runCommand([join(root, 'node_modules/.bin/squawk'), ...options, ...files], root);
  return ok ? [] : [`${output}\n\nA schema changes in three releases: expand, migrate, contract (UPGRADING.md).`];
}
