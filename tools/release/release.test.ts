import { cpSync, existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { runCommand } from '../run-command.ts';
import { changelogSection, readFragments, withSection } from './fragments.ts';
import { prepareRelease } from './prepare-release.ts';
import { compareVersions, currentVersion, nextVersion, otherVersions } from './version-files.ts';

const ROOT = join(import.meta.dirname, '../..');

describe('the version', () => {
  it('is the same in every file that states it', () => {
    expect(otherVersions(ROOT)).toEqual([]);
  });

  it.each([
    ['patch', '1.4.10'],
    ['minor', '1.5.0'],
    ['major', '2.0.0'],
    ['1.10.0', '1.10.0'],
  ])('after the step %s from 1.4.9 is %s', (step, expected) => {
    expect(nextVersion('1.4.9', step)).toBe(expected);
  });

  it.each(['1.4.9', '1.4.8', '0.9.0', 'v2.0.0', '2.0', ''])('is refused as the next of 1.4.9 if it is "%s"', (step) => {
    expect(() => nextVersion('1.4.9', step)).toThrow();
  });

  it('is compared by its numbers, not as text', () => {
    expect(['1.10.0', '1.9.0', '1.9.12', '0.30.0'].sort(compareVersions)).toEqual([
      '0.30.0',
      '1.9.0',
      '1.9.12',
      '1.10.0',
    ]);
  });
});

describe('the changelog', () => {
  const fragment = (kind: 'added' | 'fixed' | 'security' | 'upgrading', text: string) => ({ file: 'f', kind, text });

  it('groups the fragments by kind, in a fixed order', () => {
    const section = changelogSection('1.1.0', '2026-12-01', [
      fragment('fixed', 'A.'),
      fragment('added', 'B.\nMore.'),
      fragment('security', 'C.'),
    ]);
    expect(section).toBe(
      '## 1.1.0 (2026-12-01)\n\n### Security\n\n- C.\n\n### Added\n\n- B.\n  More.\n\n### Fixed\n\n- A.',
    );
  });

  it('gets a new section before the earlier ones', () => {
    expect(withSection('# Changes\n\nText.\n\n## 1.0.0\n\n- A.\n', '## 1.1.0\n\n- B.')).toBe(
      '# Changes\n\nText.\n\n## 1.1.0\n\n- B.\n\n## 1.0.0\n\n- A.\n',
    );
  });

  it('has fragments whose file names state their kind', () => {
    expect(readFragments(ROOT).map(({ text }) => text.length > 0)).not.toContain(false);
  });
});

describe('a release', () => {
  const root = mkdtempSync(join(tmpdir(), 'tidemark-release-'));
  const files = ['CHANGELOG.md', 'UPGRADING.md', 'deploy/Dockerfile', 'helm/tidemark/Chart.yaml'];
  const versioned = [
    'packages/{cli,sdk}/{package.json,README.md}',
    'packages/cli/src/version.ts',
    '{libs,services}/*/package.json',
  ];
  const more = [
    'package.json',
    'services/mcp/src/service.ts',
    'clients/python/pyproject.toml',
    'clients/python/src/tidemark/__init__.py',
  ];
  const git = async (...args: string[]): Promise<string> => {
    const ran = await runCommand(['git', '-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args], root);
    if (!ran.ok) throw new Error(ran.output);
    return ran.output;
  };
  beforeAll(async () => {
    for (const file of [...files, ...more, ...globSync(versioned, { cwd: ROOT })]) {
      mkdirSync(dirname(join(root, file)), { recursive: true });
      cpSync(join(ROOT, file), join(root, file));
    }
    mkdirSync(join(root, 'changes'));
    writeFileSync(join(root, 'changes/added-a.md'), 'A new command.\n');
    writeFileSync(join(root, 'changes/upgrading-b.md'), 'Set `B` before the upgrade.\n');
    await git('init', '--quiet');
    await git('config', 'user.name', 't');
    await git('config', 'user.email', 't@example.com');
    await git('add', '.');
    await git('commit', '--quiet', '-m', 'start');
  });
  afterAll(() => rmSync(root, { recursive: true, force: true }));
  const prepare = (isDryRun: boolean) =>
    prepareRelease({ root, step: 'minor', date: '2026-12-01', isDryRun, say: () => undefined });

  it('writes nothing in a dry run', async () => {
    await prepare(true);
    expect(await git('status', '--porcelain')).toBe('');
  });

  it('is refused while the tree has uncommitted changes', async () => {
    writeFileSync(join(root, 'left.txt'), 'left');
    await expect(prepare(false)).rejects.toThrow('uncommitted');
    rmSync(join(root, 'left.txt'));
  });

  it('writes the version everywhere, the sections, one commit and one tag, and removes the fragments', async () => {
    const before = currentVersion(root);
    const version = await prepare(false);
    expect(version).toBe(nextVersion(before, 'minor'));
    expect(otherVersions(root, version)).toEqual([]);
    expect(readFileSync(join(root, 'CHANGELOG.md'), 'utf8')).toMatch(
      /\n## \S+ \(2026-12-01\)\n\n### Added\n\n- A new command\.\n/,
    );
    expect(readFileSync(join(root, 'UPGRADING.md'), 'utf8')).toContain(
      `## From ${before} to ${version}\n\n- Set \`B\``,
    );
    expect(existsSync(join(root, 'changes/added-a.md'))).toBe(false);
    expect(await git('status', '--porcelain')).toBe('');
    expect(await git('describe', '--exact-match')).toBe(`v${version}`);
  });
});
