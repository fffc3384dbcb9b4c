import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf, Problem } from '../problem.ts';
import { missingLibraries, programOnPath, runToEnd } from '../programs.ts';

/** An executable program, and the path of its libraries if the system lacks them. */
export interface Program {
  readonly path: string;
  readonly env: Record<string, string>;
}

const UPDATE_WITHIN_MS = 180_000;
const DOWNLOAD_WITHIN_MS = 300_000;

/** Returns the folder that these packages are unpacked into. */
export const packageFolder = (toolsDir: string, names: readonly string[]): string =>
  join(toolsDir, 'debs', [...names].sort().join('+'));

/**
 * Unpacks Debian packages into a folder of the project: apt with private lists and caches, then `dpkg -x`;
 * nothing is installed, so it works for any user. @returns the folder, which is kept
 */
export async function debianPackages(
  toolsDir: string,
  names: readonly string[],
  note: (text: string) => void,
): Promise<string> {
  const dir = packageFolder(toolsDir, names);
  if (existsSync(dir)) return dir;
  if (programOnPath('apt-get') === undefined || programOnPath('dpkg') === undefined) {
    throw new Problem(
      `${names.join(' and ')} not found on PATH, and there is no apt-get to bring them; install them, or set NATS_URL and REDIS_URL to running servers.`,
    );
  }
  mkdirSync(join(toolsDir, 'debs'), { recursive: true });
  const work = mkdtempSync(join(toolsDir, 'debs', '.fetch-'));
  try {
    await fetchAndUnpack(work, names, note);
    renameSync(join(work, 'root'), dir);
  } catch (error) {
    if (existsSync(dir)) return dir; // another start was quicker
    const where =
      'expected apt-get to reach the Debian archive named in /etc/apt; check the network, or install them yourself and start again';
    throw new Problem(`${names.join(' and ')} could not be fetched (${messageOf(error)}); ${where}.`);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  return dir;
}

async function fetchAndUnpack(work: string, names: readonly string[], note: (text: string) => void): Promise<void> {
  const root = join(work, 'root');
  for (const dir of [root, join(work, 'lists/partial'), join(work, 'cache/archives/partial')])
    mkdirSync(dir, { recursive: true });
  const apt = (...args: string[]) => [...aptGet(work), ...args] as const;
  note(`not installed: fetching ${names.join(', ')} from Debian's archive`);
  await runToEnd(['apt-get', ...apt('update')], { cwd: work, withinMs: UPDATE_WITHIN_MS });
  const plan = await runToEnd(
    ['apt-get', ...apt('install', '--print-uris', '-qq', '-y', '--no-install-recommends', ...names)],
    { cwd: work, withinMs: UPDATE_WITHIN_MS },
  );
  // The packages that apt would install, including libraries. It omits installed packages, so these are named explicitly.
  const needed = new Set([...names, ...packagesOfPlan(plan)]);
  await runToEnd(['apt-get', ...apt('download', '-qq', ...needed)], { cwd: work, withinMs: DOWNLOAD_WITHIN_MS });
  for (const file of readdirSync(work).filter((name) => name.endsWith('.deb'))) {
    await runToEnd(['dpkg', '-x', file, root], { cwd: work, withinMs: 60_000 });
  }
}

/** Returns the package names in the output of `apt-get install --print-uris`: `'URI' name_version_arch.deb size hash`. */
export function packagesOfPlan(plan: string): string[] {
  return plan.split('\n').flatMap((line) => /^'[^']+' ([^_\s]+)_\S+\.deb \d+/.exec(line)?.[1] ?? []);
}

function aptGet(work: string): string[] {
  const options = {
    'Dir::State::lists': join(work, 'lists'),
    'Dir::Cache': join(work, 'cache'),
    'Dir::Log': work,
    'APT::Sandbox::User': 'root', // as root apt would fetch as _apt, which may not write here
    'Acquire::Languages': 'none',
    'Acquire::Retries': '2',
    'Acquire::http::Timeout': '20',
    'Debug::NoLocking': 'true',
  };
  return Object.entries(options).flatMap(([key, value]) => ['-o', `${key}=${value}`]);
}

/** Returns a program of an unpacked package folder, with a library path if the system lacks libraries. */
export async function programOf(root: string, path: string): Promise<Program> {
  const file = join(root, path);
  if ((await missingLibraries(file)).length === 0) return { path: file, env: {} };
  const libraryPath = ['usr/lib', 'lib']
    .flatMap((lib) => [
      join(root, lib),
      ...foldersIn(join(root, lib)).filter((folder) => folder.endsWith('-linux-gnu')),
    ])
    .join(':');
  const missing = await missingLibraries(file, libraryPath);
  if (missing.length > 0)
    throw new Problem(
      `${path} needs ${missing.join(', ')}, which this system lacks; install the package ${path.split('/').pop()}.`,
    );
  return { path: file, env: { LD_LIBRARY_PATH: libraryPath } };
}

const foldersIn = (dir: string): string[] => (existsSync(dir) ? readdirSync(dir).map((name) => join(dir, name)) : []);
