import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Ran, runCommand } from '../run-command.ts';
import type { Check } from './check.ts';

/**
 * Checks that the protos are compatible with the newest release (tag `v*`): during an upgrade, services of both versions run
 * side by side. Commits between two releases may change protos freely.
 */
export const protoBreaking = (root: string): Check => ({
  name: 'proto changes',
  async run() {
    const release = await newestRelease(root);
    if (release === undefined) return { summary: 'no release to compare with', problems: [] };
    const scratch = mkdtempSync(join(tmpdir(), 'tidemark-proto-'));
    try {
      const earlier = join(scratch, 'release');
      await unpack(root, release, earlier);
      const { ok, output } = await breaking(root, earlier);
      return { summary: `against ${release}`, problems: ok ? [] : [`against ${release}:\n${output}`] };
    } finally {
      rmSync(scratch, { recursive: true });
    }
  },
});

/** Returns the newest tag `v*` that is an ancestor of HEAD; undefined if there is none or `root` is no clone. */
export async function newestRelease(root: string): Promise<string | undefined> {
  const { ok, output } = await runCommand(['git', 'describe', '--tags', '--match', 'v*', '--abbrev=0'], root);
  return ok ? output.trim() : undefined;
}

/** Extracts proto/ and buf.yaml of a commit into a folder. @throws Error if the commit has none */
async function unpack(root: string, commit: string, into: string): Promise<void> {
  mkdirSync(into);
  const archive = `${into}.tar`;
  const commands: readonly (readonly [string, ...string[]])[] = [
    ['git', 'archive', '--format=tar', `--output=${archive}`, commit, 'proto', 'buf.yaml'],
    ['tar', '-xf', archive, '-C', into],
  ];
  for (const command of commands) {
    const { ok, output } = await runCommand(command, root);
    if (!ok) throw new Error(`could not extract the protos of ${commit}: ${output}`);
  }
}

const breaking = (root: string, earlier: string): Promise<Ran> =>
  runCommand([join(root, 'node_modules/.bin/buf'), 'breaking', '--against', earlier], root);
