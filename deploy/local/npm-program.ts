import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { messageOf } from './problem.ts';
import { runToEnd } from './programs.ts';
import { TOOLS_DIR } from './stack-context.ts';

const INSTALL_MS = 540_000;

/**
 * Installs a package of npm under the project, apart from the packages of Tidemark: it is large and only tests use it. Peers are `name@version`;
 * with them no other peers are installed.
 * @returns its folder
 */
export async function npmPackage(name: string, version: string, peers: readonly string[] = []): Promise<string> {
  const dir = join(TOOLS_DIR, 'npm', `${name}@${version}`);
  if (existsSync(join(dir, 'node_modules', name))) return dir;
  mkdirSync(join(TOOLS_DIR, 'npm'), { recursive: true });
  const work = mkdtempSync(join(TOOLS_DIR, 'npm/.fetch-'));
  try {
    const options = ['--no-audit', '--no-fund', '--ignore-scripts', '--prefix', work];
    if (peers.length > 0) options.push('--legacy-peer-deps');
    await runToEnd(['npm', 'install', ...options, `${name}@${version}`, ...peers], { cwd: work, withinMs: INSTALL_MS });
    rmSync(dir, { recursive: true, force: true });
    mkdirSync(dirname(dir), { recursive: true }); // the scope of the package is a folder
    renameSync(work, dir);
  } catch (error) {
    rmSync(work, { recursive: true, force: true });
    throw new Error(`${name} ${version} could not be installed; expected access to the npm registry`, { cause: error });
  }
  return dir;
}

/**
 * Installs a package of npm that only tests use. Returns its folder; undefined, with the reason on the console, where it can not be fetched:
 * tests that need it are then skipped (`needs('fetched-package', …)`).
 */
export async function fetchedPackage(
  name: string,
  version: string,
  peers: readonly string[] = [],
): Promise<string | undefined> {
  try {
    return await npmPackage(name, version, peers);
  } catch (error) {
    console.warn(`${name} ${version} can not be fetched: ${messageOf(error)}`);
    return undefined;
  }
}
