import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { newId } from '@tidemark/contracts';
import { openPool } from '@tidemark/service';
import type pg from 'pg';
import { startStack } from '../../deploy/local/stack.ts';
import { FrontierStore } from '../../services/crawl/src/store/frontier/frontier-store.ts';

const HELP = `npm run bench -- frontier [--pages 1000000]

Fills frontiers through the store of crawl and claims from them, as the orchestrator of a run does. Prints how fast
URLs are added, and the time of a claim of 64 pages, with no statistics of the table and with those of ANALYZE.

  one site         every page of one host with room
  one site, full   every page of one host that has as many pages in flight as it may
  5,000 hosts      the pages spread over 5,000 hosts
  one slow host    90 % of the pages, the first of the queue, are of a host without room; the rest of 2,000 hosts

  --pages  URLs of each frontier`;

const { values } = parseArgs({
  options: { pages: { type: 'string', default: '1000000' }, help: { type: 'boolean', default: false } },
});

const OWNER = 'bench';
const BATCH = 1_000;
const CLAIMS = 30;
const CLAIMED = 64;
const NO_LIMIT = 2_000_000_000;
/** Longest time in which a million URLs are to be added, s. */
const ADD_GOAL_SECONDS = 30;

interface Shape {
  readonly name: string;
  readonly hostOf: (page: number, pages: number) => string;
  /** A host that has `PER_HOST` pages in flight before the claims. */
  readonly full: string | undefined;
}

const PER_HOST = 300;
const SHAPES: readonly Shape[] = [
  { name: 'one site', hostOf: () => 'one.example', full: undefined },
  { name: 'one site, full', hostOf: () => 'one.example', full: 'one.example' },
  { name: '5,000 hosts', hostOf: (page) => `h${page % 5_000}.example`, full: undefined },
  {
    name: 'one slow host',
    hostOf: (page, pages) => (page < pages * 0.9 ? 'slow.example' : `h${page % 2_000}.example`),
    full: 'slow.example',
  },
];

interface Filled {
  readonly id: string;
  readonly seconds: number;
}

async function fill(pool: pg.Pool, frontier: FrontierStore, shape: Shape, pages: number): Promise<Filled> {
  const id = newId('run');
  await pool.query(
    `INSERT INTO crawl.runs (id, workspace_id, seed, scope, options, max_pages, trigger, request_id, owner, status, seeded, deadline, lease_until)
     VALUES ($1, 'ws', 'https://one.example/', '{}', '{}', $2, 'api', 'req', $3, 'running', true, now() + interval '1 day', now() + interval '1 day')`,
    [id, 100_000_000, OWNER],
  );
  const startedAtMs = performance.now();
  for (let from = 0; from < pages; from += BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, pages - from) }, (_, at) => {
      const host = shape.hostOf(from + at, pages);
      const url = `https://${host}/section-${(from + at) % 97}/page-${from + at}`;
      const key = createHash('sha256').update(url).digest().subarray(0, 16);
      return { key, url, host, depth: 1, rank: 1_000, foundVia: 'sitemap', referer: undefined } as const;
    });
    await frontier.add(id, NO_LIMIT, batch);
  }
  return { id, seconds: (performance.now() - startedAtMs) / 1_000 };
}

/** Returns the times of `CLAIMS` claims, ms. The claimed pages end after each. */
async function claimTimes(pool: pg.Pool, frontier: FrontierStore, id: string): Promise<number[]> {
  const times: number[] = [];
  for (let at = 0; at < CLAIMS; at += 1) {
    const startedAtMs = performance.now();
    const claim = await frontier.claim(id, CLAIMED, { perHost: PER_HOST, perRun: 400 });
    times.push(performance.now() - startedAtMs);
    const ids = claim?.pages.map(({ captureId }) => captureId) ?? [];
    await pool.query(
      `WITH run AS (SELECT no FROM crawl.runs WHERE id = $1), ended AS (
         UPDATE crawl.frontier SET status = 'done', number = 1 WHERE run_no = (SELECT no FROM run) AND number IS NULL AND capture_id = ANY($2) RETURNING 1)
       UPDATE crawl.runs SET in_flight = in_flight - (SELECT count(*) FROM ended) WHERE id = $1`,
      [id, ids],
    );
  }
  return times.sort((a, b) => a - b);
}

async function occupy(pool: pg.Pool, id: string, host: string): Promise<void> {
  await pool.query(
    `UPDATE crawl.frontier SET status = 'dispatched', capture_id = 'cap_' || seq, work_id = 'w', dispatched_until = now() + interval '1 day'
     WHERE run_no = (SELECT no FROM crawl.runs WHERE id = $1) AND seq IN (
       SELECT seq FROM crawl.frontier WHERE run_no = (SELECT no FROM crawl.runs WHERE id = $1) AND host = $2 AND status = 'queued' LIMIT ${PER_HOST})`,
    [id, host],
  );
  await pool.query(`UPDATE crawl.runs SET in_flight = ${PER_HOST} WHERE id = $1`, [id]);
}

const shown = (times: readonly number[]): string =>
  `p50 ${(times[times.length >> 1] ?? 0).toFixed(1)} ms, at most ${(times.at(-1) ?? 0).toFixed(1)} ms`;

async function main(): Promise<void> {
  const pages = Number(values.pages);
  const dataDir = mkdtempSync(join(tmpdir(), 'tidemark-frontier-'));
  const stack = await startStack({ dataDir, services: ['crawl'], logLevel: 'error' });
  const pool = openPool(stack.urls.databaseUrl, 'crawl', 4);
  const frontier = new FrontierStore(pool, OWNER);
  try {
    for (const shape of SHAPES) {
      await pool.query('TRUNCATE crawl.frontier');
      const { id, seconds } = await fill(pool, frontier, shape, pages);
      if (shape.full !== undefined) await occupy(pool, id, shape.full);
      const without = await claimTimes(pool, frontier, id);
      await pool.query('ANALYZE crawl.frontier');
      const withStatistics = await claimTimes(pool, frontier, id);
      console.log(
        `${shape.name.padEnd(16)} ${pages} URLs added in ${seconds.toFixed(1)} s (goal for a million: ${ADD_GOAL_SECONDS} s); ` +
          `a claim: ${shown(without)}; after ANALYZE: ${shown(withStatistics)}`,
      );
    }
  } finally {
    await pool.end();
    await stack.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

if (values.help) console.log(HELP);
else await main();
