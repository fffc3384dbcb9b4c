import { execFile } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT, TOOLS_DIR } from '../../deploy/local/stack-context.ts';
import { compareVersions } from '../../tools/release/version-files.ts';
import { runCommand } from '../../tools/run-command.ts';

const run = promisify(execFile);
const INSTALL_WITHIN_MS = 900_000;
/** Stands for the release before until there is a tag `v*`: a commit of version 1.0.0 whose protos this tree is compatible with. */
const STAND_IN = '279a8e75ca31';

/** Returns the newest release before this tree: a tag `v*` of its history, otherwise the stand-in; undefined where the clone has neither. */
export async function previousRelease(): Promise<string | undefined> {
  const { ok, output } = await runCommand(['git', 'tag', '--list', 'v*', '--merged', 'HEAD'], ROOT);
  if (!ok) return undefined;
  const versions = output.split('\n').filter((tag) => /^v\d+\.\d+\.\d+$/.test(tag));
  const head = (await runCommand(['git', 'tag', '--points-at', 'HEAD'], ROOT)).output.split('\n');
  const newest = versions
    .filter((tag) => !head.includes(tag))
    .sort((a, b) => compareVersions(a.slice(1), b.slice(1)))
    .at(-1);
  if (newest !== undefined) return newest;
  const isInHistory = await runCommand(['git', 'merge-base', '--is-ancestor', STAND_IN, 'HEAD'], ROOT);
  return isInHistory.ok ? STAND_IN : undefined;
}

/** Unpacks a release and installs its packages, once for all tests. Returns its folder. */
export async function unpackRelease(release: string): Promise<string> {
  const { output: commit } = await runCommand(['git', 'rev-parse', '--short=12', `${release}^{commit}`], ROOT);
  const folder = join(TOOLS_DIR, 'releases', commit);
  if (!existsSync(join(folder, 'node_modules/.tidemark-web-pages'))) {
    mkdirSync(join(TOOLS_DIR, 'releases'), { recursive: true });
    if (!existsSync(folder)) await run('git', ['clone', '--quiet', '--shared', '--no-checkout', ROOT, folder]);
    await run('git', ['checkout', '--quiet', '--detach', commit], { cwd: folder });
    await run('sh', ['deploy/bootstrap.sh'], { cwd: folder, timeout: INSTALL_WITHIN_MS, maxBuffer: 64 * 1024 * 1024 });
  }
  return folder;
}
