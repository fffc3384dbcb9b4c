import { createHash } from 'node:crypto';
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { messageOf, Problem } from './problem.ts';
import { runToEnd } from './programs.ts';
import { ROOT } from './stack-context.ts';

const CONSOLE = join(ROOT, 'services/console');
/** What the built files depend on. */
const SOURCES = [
  'services/console/{src,public}/**/*',
  'services/console/*.{ts,json,html}',
  'packages/sdk/src/**/*.ts',
  'pnpm-lock.yaml',
];
const BUILD_WITHIN_MS = 120_000;
const KEPT_BUILDS = 3;

/** Returns a hash of the sources of the console. */
function sourceHash(): string {
  const hash = createHash('sha256');
  for (const path of globSync(SOURCES, { cwd: ROOT }).sort())
    if (statSync(join(ROOT, path)).isFile()) hash.update(`${path}\n`).update(readFileSync(join(ROOT, path)));
  return hash.digest('hex').slice(0, 16);
}

/**
 * Builds the console unless its sources have been built before. Each build has a folder of its own, named by its sources and made complete
 * under another name first, so that several starts can build at once. @returns the folder
 */
export async function buildConsole(): Promise<string> {
  const dist = join(CONSOLE, 'dist');
  const site = join(dist, `site-${sourceHash()}`);
  if (existsSync(site)) return site;
  mkdirSync(dist, { recursive: true });
  const work = mkdtempSync(join(dist, 'building-'));
  try {
    const env = { ...process.env, NODE_ENV: 'production' };
    await runToEnd(
      [join(CONSOLE, 'node_modules/.bin/vite'), 'build', CONSOLE, '--outDir', work, '--logLevel', 'warn'],
      { env, withinMs: BUILD_WITHIN_MS },
    );
    // Another start may have been faster.
    if (!existsSync(site)) renameSync(work, site);
  } catch (error) {
    if (!existsSync(site)) throw new Problem(`The console could not be built: ${messageOf(error)}`);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  removeOld(dist);
  return site;
}

/** Deletes all but the newest builds. A running gateway has read its files at its start. */
function removeOld(dist: string): void {
  const builds = readdirSync(dist)
    .filter((name) => name.startsWith('site-'))
    .map((name) => ({ path: join(dist, name), madeAt: statSync(join(dist, name)).mtimeMs }))
    .sort((one, other) => other.madeAt - one.madeAt);
  for (const { path } of builds.slice(KEPT_BUILDS)) rmSync(path, { recursive: true, force: true });
}
