import { type ChildProcess, fork } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { npmPackage } from '../../deploy/local/npm-program.ts';
import { TOOLS_DIR } from '../../deploy/local/stack-context.ts';
import { notMeasured } from '../shared/not-measured.ts';
import type { Site } from '../site/start-site.ts';
import { type Cost, costOfChild } from './cost.ts';

const VERSION = '3.18.1';
/** Packages that it loads; linkedom 0.18.15 depends on a package that does not exist. */
const PEERS = ['linkedom@0.18.14', 'playwright-core@1.65.1'] as const;
const RUN_WITHIN_MS = 900_000;

/** Whether Crawlee takes part: installed at the first use, only where it is installed, or not at all. */
export type CrawleeUse = 'install' | 'where_installed' | 'none';

/** Lines of `--help` of the benchmarks that Crawlee takes part in. */
export const CRAWLEE_HELP = `  --crawlee      installs Crawlee ${VERSION} under .tidemark/tools at the first use (some 200 packages); without the option it runs where it is installed
  --no-crawlee   leaves Crawlee out`;

/** Reads the option `--crawlee`. */
export const crawleeUse = (given: boolean | undefined): CrawleeUse =>
  given === undefined ? 'where_installed' : given ? 'install' : 'none';

/** Result of a run of Crawlee. */
export interface PeerResult {
  readonly pages: number;
  readonly seconds: number;
  /** Pages with the expected headline. */
  readonly right?: number;
  /** Pages that its browser rendered. */
  readonly browser?: number;
}

/** Returns the folder of Crawlee's packages; undefined, with a line on the console, where it takes no part. */
export async function crawleeFolder(use: CrawleeUse): Promise<string | undefined> {
  if (use === 'none') return undefined;
  const folder = join(TOOLS_DIR, 'npm', `crawlee@${VERSION}`);
  if (existsSync(folder)) return folder;
  if (use === 'where_installed') {
    console.log('  Crawlee is not installed: no comparison; --crawlee installs it');
    return undefined;
  }
  console.log(`  installing Crawlee ${VERSION} …`);
  try {
    return await npmPackage('crawlee', VERSION, PEERS);
  } catch (error) {
    notMeasured('Crawlee', String(error).slice(0, 200));
    return undefined;
  }
}

const isResult = (message: unknown): message is PeerResult =>
  typeof message === 'object' && message !== null && 'pages' in message && 'seconds' in message;

function resultOf(child: ChildProcess): Promise<PeerResult> {
  return new Promise((done, failed) => {
    let result: PeerResult | undefined;
    child.on('message', (message) => {
      if (isResult(message)) result = message;
    });
    child.once('close', (code) => {
      if (result === undefined) failed(new Error(`Crawlee ended with ${code} and no result`));
      else done(result);
    });
  });
}

/** Resets the site and runs a program of this folder on it. `message` is what the program waits for. */
async function runPeer(
  site: Site,
  program: string,
  args: readonly string[],
  message?: object,
): Promise<{ result: PeerResult; cost: Cost }> {
  await site.reset();
  const store = mkdtempSync(join(tmpdir(), 'tm-crawlee-'));
  try {
    const child = fork(join(import.meta.dirname, 'crawlee', program), args, {
      execArgv: ['--conditions=tidemark-source'],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      env: { ...process.env, CRAWLEE_STORAGE_DIR: store },
      timeout: RUN_WITHIN_MS,
    });
    if (message !== undefined) child.send(message);
    const { value: result, cost } = await costOfChild(child.pid ?? 0, [site.pid], () => resultOf(child));
    return { result, cost };
  } finally {
    rmSync(store, { recursive: true, force: true });
  }
}

/** Runs Crawlee's CheerioCrawler on a whole site; with `keep` it stores what Tidemark stores. */
export const runCrawlee = (folder: string, site: Site, concurrency: number, keep: boolean) =>
  runPeer(site, 'whole-site.ts', [
    `--site=${site.base}`,
    `--crawlee=${folder}`,
    `--concurrency=${concurrency}`,
    ...(keep ? ['--keep'] : []),
  ]);

/** Runs Crawlee's AdaptivePlaywrightCrawler on pages of which some need a browser. */
export const runAdaptive = (
  folder: string,
  site: Site,
  browser: string,
  pages: readonly { readonly url: string; readonly title: string | null }[],
) => runPeer(site, 'mixed-pages.ts', [`--crawlee=${folder}`, `--browser=${browser}`], pages);
