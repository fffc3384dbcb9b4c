import { execFile } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT, TOOLS_DIR } from '../../deploy/local/stack-context.ts';
import { compareVersions } from '../../tools/release/version-files.ts';
import { runCommand } from '../../tools/run-command.ts';

const run = promisify(execFile);
const INSTALL_WITHIN_MS = 600_000;

/** Returns the newest release before this tree: a tag `v*` of its history; undefined where the clone has none. */
export async function previousRelease(): Promise<string | undefined> {
  const { ok, output } = await runCommand(['git', 'tag', '--list', 'v*', '--merged', 'HEAD'], ROOT);
  if (!ok) return undefined;
  const versions = output.split('\n').filter((tag) => /^v\d+\.\d+\.\d+$/.test(tag));
  const head = (await runCommand(['git', 'tag', '--points-at', 'HEAD'], ROOT)).output.split('\n');
  return versions
    .filter((tag) => !head.includes(tag))
    .sort((a, b) => compareVersions(a.slice(1), b.slice(1)))
    .at(-1);
}

/** Unpacks a release and installs its packages, once for all tests. Returns its folder. */
export async function unpackRelease(tag: string): Promise<string> {
  const { output: commit } = await runCommand(['git', 'rev-parse', '--short=12', `${tag}^{commit}`], ROOT);
  const folder = join(TOOLS_DIR, 'releases', `${tag}-${commit}`);
  if (!existsSync(join(folder, 'node_modules/.tidemark-web-pages'))) {
    mkdirSync(join(TOOLS_DIR, 'releases'), { recursive: true });
    if (!existsSync(folder)) await run('git', ['clone', '--quiet', '--shared', '--no-checkout', ROOT, folder]);
    await run('git', ['checkout', '--quiet', '--detach', commit], { cwd: folder });
    await run('sh', ['deploy/bootstrap.sh'], { cwd: folder, timeout: INSTALL_WITHIN_MS, maxBuffer: 64 * 1024 * 1024 });
  }
  return folder;
}
