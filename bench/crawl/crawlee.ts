import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { notMeasured } from '../shared/not-measured.ts';
import { type Cost, costOfChild } from './cost.ts';
import { BENCH_DIR } from './fleet.ts';
import { PEERS, type Site } from './site.ts';

const DIR = join(BENCH_DIR, 'peers');
const INSTALL_WITHIN_MS = 300_000;
const RUN_WITHIN_MS = 900_000;

/** The result line of a rival's runner. */
export interface PeerResult {
  readonly pages: number;
  readonly seconds: number;
  readonly right?: number;
  readonly handlerRuns?: number;
  readonly browser?: number;
}

/** Installs the packages of a runner once. @returns false, after a message, where that fails */
export function installPeers(packages: readonly string[]): boolean {
  mkdirSync(DIR, { recursive: true });
  const missing = packages.filter((name) => !existsSync(join(DIR, 'node_modules', name.replace(/@[^@]*$/, ''))));
  if (missing.length === 0) return true;
  const manifest = join(DIR, 'package.json');
  if (!existsSync(manifest))
    writeFileSync(manifest, JSON.stringify({ private: true, type: 'module', overrides: { linkedom: '0.18.14' } }));
  console.log(`installing ${missing.join(', ')} …`);
  const env = { ...process.env, PUPPETEER_SKIP_DOWNLOAD: '1', PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: '1' };
  try {
    const install = ['install', '--no-audit', '--no-fund', ...missing];
    execFileSync('npm', install, { cwd: DIR, stdio: 'ignore', env, timeout: INSTALL_WITHIN_MS });
    return true;
  } catch (error) {
    notMeasured('Crawlee', `${missing.join(', ')} could not be installed: ${String(error).slice(0, 200)}`);
    return false;
  }
}

/** Packages for a crawl by Crawlee. */
export const CRAWLEE: readonly string[] = ['crawlee@3', 'node-html-markdown@2'];

/** Resets the site and runs one of the rivals' runners on it. `change` adapts its text to this machine. */
export async function runPeer(
  site: Site,
  script: string,
  args: readonly string[],
  change: (text: string) => string = (text) => text,
): Promise<{ result: PeerResult; cost: Cost }> {
  await site.reset();
  writeFileSync(join(DIR, script), change(readFileSync(join(PEERS, script), 'utf8')));
  const child = spawn(process.execPath, [script, ...args], {
    cwd: DIR,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, SITE: site.base },
    timeout: RUN_WITHIN_MS,
  });
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += String(chunk);
  });
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors = (errors + String(chunk)).slice(-2_000);
  });
  const { cost } = await costOfChild(
    child.pid ?? 0,
    [site.pid],
    () => new Promise((done) => child.once('close', done)),
  );
  const line = /RESULT (.*)/.exec(output)?.[1];
  if (line === undefined) throw new Error(`${script} printed no result: ${errors}`);
  return { result: JSON.parse(line), cost };
}

/** Runs Crawlee's CheerioCrawler on a whole site; with `kept` it stores what Tidemark stores. */
export async function runCrawlee(site: Site, concurrency: number, kept: boolean) {
  const store = join(DIR, 'store');
  const keeping = kept ? ['--persist', '1', '--html', '1'] : ['--persist', '0', '--md', 'none'];
  try {
    return await runPeer(site, 'crawlee-cheerio.mjs', [
      ...keeping,
      '--concurrency',
      String(concurrency),
      '--dir',
      store,
    ]);
  } finally {
    rmSync(store, { recursive: true, force: true });
  }
}
