import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawnService, until } from '@tidemark/testkit';
import { type CrawlServers, clientIn, HOME, openCrawl } from './crawl-servers.ts';

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url));
/** More shows more and takes longer: CRAWL_PAGES=20000. */
const PAGES = Number(process.env['CRAWL_PAGES'] ?? 2_000);
const LINKS = 33;
/** A heap that is too small for what a run of any size may not keep. */
const HEAP = '--max-old-space-size=96 --max-semi-space-size=16';
const MS_PER_TICK = 10;

let servers: CrawlServers;
beforeAll(async () => {
  servers = await openCrawl();
}, 120_000);
afterAll(() => servers.close());

/** A site of so many pages, each linking to 33 others as pages do: the ones below it, its neighbours, what the menu holds. */
function site(url: string) {
  const at = url === `${HOME}/` ? 0 : Number(/\/section-\d+\/page-(\d+)$/.exec(url)?.[1] ?? -1);
  if (at < 0 || at >= PAGES) return undefined;
  const below = Array.from({ length: 6 }, (_, i) => at * 6 + i + 1);
  const near = Array.from({ length: 12 }, (_, i) => at + i - 6);
  const menu = Array.from({ length: LINKS - 18 }, (_, i) => i);
  const links = [...menu, ...below, ...near].filter((page) => page >= 0 && page < PAGES);
  return { links: links.map((page) => (page === 0 ? `${HOME}/` : `${HOME}/section-${page % 40}/page-${page}`)) };
}

/** CPU milliseconds of a process so far, and its resident megabytes. */
function spentBy(pid: number): { cpuMs: number; rssMb: number } {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  const rss = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? '0';
  return { cpuMs: (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK, rssMb: Number(rss) / 1024 };
}

/** Returns the pid of the child process that runs this file. */
const childPid = (): number =>
  Number(
    readdirSync('/proc').find((pid) => {
      if (!/^\d+$/.test(pid)) return false;
      try {
        const hasLease =
          readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[1] === String(process.pid);
        return hasLease && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(MAIN);
      } catch {
        return false;
      }
    }),
  );

describe('a large run', () => {
  it('fetches every page once, in bounded memory, at a fraction of a millisecond of database time per page', async () => {
    const crawl = servers.servers.own(await spawnService('crawl', MAIN, { ...servers.env, NODE_OPTIONS: HEAP }));
    const workers = await servers.workers(site, { concurrency: 64 });
    const client = clientIn({ ...(await servers.start({ MAX_RUNS: '1' })), peer: crawl.peer });
    const backends = async () =>
      (
        await servers.servers.database.sql<{ pid: number }>(
          `SELECT pid FROM pg_stat_activity WHERE application_name = 'crawl'`,
        )
      ).map(({ pid }) => spentBy(pid).cpuMs);
    const sum = (all: readonly number[]) => all.reduce((total, one) => total + one, 0);
    const pid = childPid();
    const before = { node: spentBy(pid).cpuMs, pg: sum(await backends()) };
    const startedAt = performance.now();
    const { id } = await client.start({ maxPages: PAGES * 2, concurrency: 50, maxDepth: 100 });
    let peakMb = 0;
    const run = await until(
      'the run to end',
      async () => {
        peakMb = Math.max(peakMb, spentBy(pid).rssMb);
        const now = await client.get(id);
        return now.status === 'done' ? now : undefined;
      },
      { withinMs: 300_000 },
    );
    const seconds = (performance.now() - startedAt) / 1000;
    const pgMs = (sum(await backends()) - before.pg) / PAGES;
    const nodeMs = (spentBy(pid).cpuMs - before.node) / PAGES;
    process.stderr.write(
      `${PAGES} pages: ${(PAGES / seconds).toFixed(0)} pages/s, crawl ${nodeMs.toFixed(2)} ms/page, PostgreSQL ${pgMs.toFixed(2)} ms/page, ${peakMb.toFixed(0)} MB at most\n`,
    );
    expect(run).toMatchObject({ stop: 'finished', done: PAGES, total: PAGES, creditsUsed: PAGES, traps: [] });
    expect(workers.order).toHaveLength(PAGES);
    expect(pgMs).toBeLessThan(1.5);
    expect(peakMb).toBeLessThan(300);
  }, 320_000);
});
