import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Ran, runCommand } from '../run-command.ts';
import type { Check } from './check.ts';

/** What proto/ is compared with: the last commit, for work not committed yet, and the one before, for that commit itself. */
const EARLIER = ['HEAD', 'HEAD^1'];

/** Whether a service of the earlier commits could still talk to one of this tree: deployments restart in any order. */
export const protoBreaking = (root: string): Check => ({
  name: 'proto changes',
  async run() {
    const scratch = mkdtempSync(join(tmpdir(), 'tidemark-proto-'));
    try {
      const compared: string[] = [];
      const problems: string[] = [];
      for (const [index, commit] of EARLIER.entries()) {
        const earlier = join(scratch, String(index));
        if (!(await unpack(root, commit, earlier))) continue;
        compared.push(commit);
        const { ok, output } = await breaking(root, earlier);
        if (!ok) problems.push(`against ${commit}:\n${output}`);
      }
      const summary = compared.length === 0 ? 'no earlier proto to compare with' : `against ${compared.join(' and ')}`;
      return { summary, problems };
    } finally {
      rmSync(scratch, { recursive: true });
    }
  },
});

/** Puts a commit's proto/ into a folder; false where there is none: no such commit in this clone, or no clone at all. */
async function unpack(root: string, commit: string, into: string): Promise<boolean> {
  mkdirSync(into);
  const archive = `${into}.tar`;
  const git = await runCommand(
    ['git', 'archive', '--format=tar', `--output=${archive}`, commit, 'proto', 'buf.yaml'],
    root,
  );
  return git.ok && (await runCommand(['tar', '-xf', archive, '-C', into], root)).ok;
}

const breaking = (root: string, earlier: string): Promise<Ran> =>
  runCommand([join(root, 'node_modules/.bin/buf'), 'breaking', '--against', earlier], root);
