/**
 * Crawls the peers' site server through the whole fleet, beside Crawlee doing the same work in the same run.
 *
 *   npm run bench:crawl -- [--pages 5000] [--concurrency 50] [--crawlee]
 *
 * `--crawlee` installs Crawlee beside the data of this run and crawls the same site with it first.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { CrawlEnvelope } from '@tidemark/api';
import { memoryOf } from '../../services/browser-pool/src/chromium/process-tree.ts';
import { type OwnFleet, startFleet } from '../harness/fleet.ts';
import { until } from '../harness/until.ts';
import { cpuOfTreeMs } from './cpu.ts';

const PEERS = resolve(import.meta.dirname, '../../../shared/peer-bench');
const HOST = '127.0.0.2';
const { values } = parseArgs({
  options: {
    pages: { type: 'string', default: '5000' },
    concurrency: { type: 'string', default: '50' },
    crawlee: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
const dataDir = resolve(import.meta.dirname, '../../.tidemark/bench-crawl');

interface Site {
  readonly child: ChildProcess;
  readonly base: string;
}

function freePort(): Promise<number> {
  const probe = createServer();
  return new Promise((found) => {
    probe.listen(0, HOST, () => {
      const address = probe.address();
      probe.close(() => found(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}

async function startSite(): Promise<Site> {
  const port = await freePort();
  const args = [join(PEERS, 'site-server.mjs'), '--port', String(port), '--host', HOST, '--pages', values.pages];
  const child = spawn(process.execPath, [...args, '--prewarm', '--quiet'], { stdio: ['ignore', 'ignore', 'inherit'] });
  const base = `http://${HOST}:${port}`;
  await until('the site', async () => (await fetch(`${base}/__health`)).ok, { withinMs: 120_000 });
  return { child, base };
}

/** What a run cost and what it brought. */
interface Result {
  readonly name: string;
  readonly pages: number;
  readonly seconds: number;
  readonly cpuMs: number;
  readonly peakMb: number;
  readonly score: Record<string, unknown>;
  readonly stats: Record<string, unknown>;
}

/** Watches processes while something runs: their CPU, and the most memory they took together. */
async function measured<T>(
  pids: readonly number[],
  run: () => Promise<T>,
): Promise<{ value: T; seconds: number; cpuMs: number; peakMb: number }> {
  const cpu = () => pids.reduce((sum, pid) => sum + cpuOfTreeMs(pid), 0);
  const before = cpu();
  let peakMb = 0;
  const watch = setInterval(() => {
    peakMb = Math.max(peakMb, pids.reduce((sum, pid) => sum + memoryOf(pid), 0) / 1024 / 1024);
  }, 1_000);
  const startedAtMs = performance.now();
  try {
    const value = await run();
    return { value, seconds: (performance.now() - startedAtMs) / 1000, cpuMs: cpu() - before, peakMb };
  } finally {
    clearInterval(watch);
  }
}

const ask = async (url: string, init?: RequestInit): Promise<Record<string, unknown>> => {
  const response = await fetch(url, init);
  return JSON.parse(await response.text());
};
const reset = (base: string) => fetch(`${base}/__reset`, { method: 'POST' }).then((response) => response.text());

/** One crawl of the site through the REST interface, its rows read to the end. */
async function crawlOnce(
  fleet: OwnFleet,
  key: string,
  base: string,
): Promise<{ pages: number; rows: number; distinct: number; stop: string | null }> {
  const api = fleet.api(key);
  const order = {
    url: `${base}/`,
    limit: 20_000,
    concurrency: Number(values.concurrency),
    useSitemap: false,
    maxTier: 'http',
    scrapeOptions: { formats: ['markdown', 'rawHtml', 'links'] },
  };
  const { status, body, text } = await api.post('/crawl', order);
  if (status !== 202) throw new Error(`the crawl was refused: ${status} ${text}`);
  const { id } = body as CrawlEnvelope;
  const read = async (query: string) => (await api.get(`/crawl/${id}?formats=none&${query}`)).body as CrawlEnvelope;
  const ended = await until(
    'the crawl ends',
    async () => {
      const now = await read('limit=1');
      return now.status !== 'running' && now.status !== 'queued' && now;
    },
    { withinMs: 1_800_000 },
  );
  const urls: string[] = [];
  for (let cursor: string | null = '0'; cursor !== null; ) {
    const page: CrawlEnvelope = await read(`limit=1000&cursor=${cursor}`);
    urls.push(...page.data.map(({ url }) => url));
    cursor = page.next === null ? null : page.cursor;
  }
  return { pages: ended.progress.done, rows: urls.length, distinct: new Set(urls).size, stop: ended.stop };
}

function print({ name, pages, seconds, cpuMs, peakMb, score, stats }: Result): void {
  console.log(
    `${name.padEnd(34)} ${String(pages).padStart(6)} pages  ${(pages / seconds).toFixed(1).padStart(7)} pages/s  ` +
      `${(cpuMs / Math.max(1, pages)).toFixed(1).padStart(6)} CPU ms/page  ${peakMb.toFixed(0).padStart(5)} MB`,
  );
  console.log(`   ${JSON.stringify(score).slice(0, 600)}`);
  console.log(`   ${JSON.stringify(stats).slice(0, 600)}`);
}

async function crawlee(base: string): Promise<void> {
  const dir = join(dataDir, 'peers');
  mkdirSync(dir, { recursive: true });
  if (!existsSync(join(dir, 'node_modules/crawlee'))) {
    writeFileSync(
      join(dir, 'package.json'),
      JSON.stringify({ private: true, type: 'module', overrides: { linkedom: '0.18.14' } }),
    );
    console.log('installing Crawlee …');
    execFileSync('npm', ['install', '--no-audit', '--no-fund', 'crawlee@3', 'node-html-markdown@2'], {
      cwd: dir,
      stdio: 'ignore',
      env: { ...process.env, PUPPETEER_SKIP_DOWNLOAD: '1' },
    });
  }
  writeFileSync(join(dir, 'crawl.mjs'), readFileSync(join(PEERS, 'crawlee-cheerio.mjs')));
  await reset(base);
  const store = join(dir, 'store');
  const args = ['crawl.mjs', '--persist', '1', '--html', '1', '--concurrency', values.concurrency, '--dir', store];
  const child = spawn(process.execPath, args, {
    cwd: dir,
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, SITE: base },
  });
  let said = '';
  child.stdout.on('data', (chunk) => {
    said += String(chunk);
  });
  let cpuMs = 0;
  const { seconds, peakMb } = await measured([child.pid ?? 0], async () => {
    const watch = setInterval(() => {
      cpuMs = Math.max(cpuMs, cpuOfTreeMs(child.pid ?? 0));
    }, 200);
    await new Promise((done) => child.once('exit', done));
    clearInterval(watch);
  });
  const result: { pages: number } = JSON.parse(/RESULT (.*)/.exec(said)?.[1] ?? '{"pages":0}');
  const [score, stats] = await Promise.all([ask(`${base}/__score.json`), ask(`${base}/__stats.json`)]);
  print({ name: 'Crawlee CheerioCrawler, kept', pages: result.pages, seconds, cpuMs, peakMb, score, stats });
}

/** What runs in a process. */
function nameOf({ stack }: OwnFleet, pid: number): string {
  const services = [...stack.services.values()].filter((service) => service.pid === pid).map(({ name }) => name);
  const part = Object.entries(stack.parts).find(([, each]) => each.pid === pid)?.[0];
  return services.length > 0 ? services.join('+') : (part ?? String(pid));
}

async function main(): Promise<void> {
  if (!existsSync(PEERS)) {
    console.log(`the peers' site server is not at ${PEERS}: nothing measured`);
    return;
  }
  mkdirSync(dataDir, { recursive: true });
  const catalogue = join(dataDir, 'catalogue.json');
  const free = { welcomeCredits: 1_000_000_000, rpm: 1_000_000, subAccounts: 0 };
  writeFileSync(
    catalogue,
    JSON.stringify({ plans: { free, scale: free }, ladder: [{ tier: 'http', credits: 1, says: '' }] }),
  );
  process.env['TIDEMARK_CATALOGUE'] = catalogue;
  const site = await startSite();
  try {
    if (values.crawlee) await crawlee(site.base);
    const fleet = await startFleet({
      services: ['identity', 'billing', 'archive', 'scrape', 'map', 'crawl', 'gateway'],
    });
    try {
      const { admin } = await fleet.workspaces.make();
      const services = [...fleet.stack.services.values()].map(({ pid }) => pid);
      const parts = Object.values(fleet.stack.parts).flatMap(({ pid }) => (pid === undefined ? [] : [pid]));
      const pids = [...new Set([...services, ...parts])];
      for (const name of ['Tidemark, whole fleet', 'Tidemark, the same site again']) {
        await reset(site.base);
        const before = new Map(pids.map((pid) => [pid, cpuOfTreeMs(pid)]));
        const { value, seconds, cpuMs, peakMb } = await measured(pids, () => crawlOnce(fleet, admin.key, site.base));
        const shares = pids.map((pid) => {
          const ms = (cpuOfTreeMs(pid) - (before.get(pid) ?? 0)) / Math.max(1, value.pages);
          return `${nameOf(fleet, pid)} ${ms.toFixed(2)}`;
        });
        const [score, stats] = await Promise.all([ask(`${site.base}/__score.json`), ask(`${site.base}/__stats.json`)]);
        print({ name, pages: value.pages, seconds, cpuMs, peakMb, score, stats });
        console.log(`   CPU ms a page: ${shares.join(', ')}`);
        console.log(`   rows ${value.rows}, distinct ${value.distinct}, stop ${value.stop}`);
      }
    } finally {
      await fleet.close();
    }
  } finally {
    site.child.kill();
    rmSync(join(dataDir, 'peers/store'), { recursive: true, force: true });
  }
}

if (values.help) console.log('npm run bench:crawl -- [--pages 5000] [--concurrency 50] [--crawlee]');
else await main();
