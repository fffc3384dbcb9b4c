import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Ran, runCommand } from '../run-command.ts';
import { changelogSection, readFragments, upgradingSection, withSection } from './fragments.ts';
import { currentVersion, nextVersion, otherVersions, writeVersion } from './version-files.ts';

export interface PrepareOptions {
  readonly root: string;
  /** `major`, `minor`, `patch` or a version. */
  readonly step: string;
  /** Date of the release, as YYYY-MM-DD. */
  readonly date: string;
  /** Prints the sections and changes nothing. */
  readonly isDryRun: boolean;
  readonly say: (line: string) => void;
}

/**
 * Prepares a release: writes the version to every file that states it, turns the fragments into sections of CHANGELOG.md and UPGRADING.md,
 * deletes the fragments, commits, and tags the commit. Pushes nothing.
 * @throws Error if the tree has uncommitted changes, a file states another version, or the tag exists
 */
export async function prepareRelease({ root, step, date, isDryRun, say }: PrepareOptions): Promise<string> {
  const current = currentVersion(root);
  const version = nextVersion(current, step);
  const fragments = readFragments(root);
  const sections = {
    changelog: changelogSection(version, date, fragments),
    upgrading: upgradingSection(current, version, fragments),
  };
  const others = otherVersions(root, current);
  if (others.length > 0) throw new Error(`these files do not state version ${current}:\n${others.join('\n')}`);
  if (isDryRun) {
    say(`${sections.changelog}\n\n${sections.upgrading}\n\nDry run: nothing was written.`);
    return version;
  }
  if ((await git(root, 'status', '--porcelain')).output !== '') throw new Error('the tree has uncommitted changes');
  if ((await runCommand(['git', 'rev-parse', '--verify', '--quiet', `refs/tags/v${version}`], root)).ok)
    throw new Error(`the tag v${version} exists`);
  const files = writeVersion(root, version);
  for (const [file, section] of [
    ['CHANGELOG.md', sections.changelog],
    ['UPGRADING.md', sections.upgrading],
  ] as const) {
    writeFileSync(join(root, file), withSection(readFileSync(join(root, file), 'utf8'), section));
  }
  for (const { file } of fragments) rmSync(join(root, file));
  await git(root, 'add', '--all', '--', 'CHANGELOG.md', 'UPGRADING.md', 'changes', ...files);
  await git(root, 'commit', '--quiet', '--message', `Release ${version}`);
  await git(root, 'tag', '--annotate', `v${version}`, '--message', `Tidemark ${version}`);
  say(`Release ${version} is committed and tagged. Publish it: git push --follow-tags; npm run release -- artefacts`);
  return version;
}

async function git(root: string, ...args: readonly string[]): Promise<Ran> {
  const ran = await runCommand(['git', ...args], root);
  if (!ran.ok) throw new Error(`git ${args[0]} failed: ${ran.output}`);
  return ran;
}
