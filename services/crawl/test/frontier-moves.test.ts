import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@tidemark/contracts';
import { Scope } from '@tidemark/contracts/crawl/v1/crawl';
import { CaptureOptions } from '@tidemark/contracts/scrape/v1/scrape';
import { createLogger, openPool, prismaAdapter } from '@tidemark/service';
import { captureOptions, createDatabase, newWorkspace, type TestDatabase, until } from '@tidemark/testkit';
import { PrismaClient } from '../src/generated/prisma/client.ts';
import { RunOrchestrator } from '../src/orchestrate/run-orchestrator.ts';
import { FrontierStore } from '../src/store/frontier/frontier-store.ts';
import { InProgressStore } from '../src/store/frontier/in-progress-store.ts';
import { LeaseStore } from '../src/store/leases/lease-store.ts';
import { FeedStore } from '../src/store/runs/feed-store.ts';
import { RunStore } from '../src/store/runs/run-store.ts';
import { HOME, scopeOf } from './crawl-servers.ts';

const OWNER = 'this instance';
let database: TestDatabase;
let pool: ReturnType<typeof openPool>;
beforeAll(async () => {
  database = await createDatabase();
  pool = openPool(database.url, 'crawl', 4);
}, 120_000);
afterAll(async () => {
  await pool.end();
  await database.close();
});

interface Row {
  readonly name: string;
  /** Number of offers; 0: queued. */
  readonly attempts: number;
  /** Seconds until it counts as lost. */
  readonly left?: number;
}

/** Creates a run with these pages whose lease OWNER holds. */
async function runWith(rows: readonly Row[]): Promise<string> {
  const id = newId('run');
  const [scope, options] = [Scope.toJSON(scopeOf({ useSitemap: false })), CaptureOptions.toJSON(captureOptions())];
  const waiting = rows.filter(({ attempts }) => attempts === 0).length;
  const [run] = await database.sql<{ no: string }>(
    `INSERT INTO crawl.runs (id, workspace_id, seed, scope, options, max_pages, trigger, request_id, owner, status, seeded, queued, in_flight, known,
       deadline, lease_until)
     VALUES ($1, $2, $3, $4, $5, 100, 'api', 'req_1', $6, 'running', true, $7, $8, $9, now() + interval '1 hour', now() + interval '1 hour')
     RETURNING no`,
    [id, newWorkspace(), `${HOME}/`, scope, options, OWNER, waiting, rows.length - waiting, rows.length],
  );
  for (const { name, attempts, left = 0 } of rows)
    await database.sql(
      `INSERT INTO crawl.frontier (run_no, url_key, url, host, depth, rank, found_via, status, attempts, capture_id, work_id, dispatched_until)
       SELECT $1, sha256($2::text::bytea), $3, 'site.test', 1, 1, 'link', CASE WHEN n > 0 THEN 'dispatched' ELSE 'queued' END, n,
         CASE WHEN n > 0 THEN $2::text END, CASE WHEN n > 0 THEN $2::text || ':' || n END,
         CASE WHEN n > 0 THEN now() + make_interval(secs => $5) END
       FROM (SELECT $4::int AS n) AS times`,
      [run?.no, name, `${HOME}/${name}`, attempts, left],
    );
  return id;
}

describe('work that may not have been sent', () => {
  it('is the pages claimed recently that no worker holds', async () => {
    const id = await runWith([
      { name: 'just', attempts: 1, left: 175 },
      { name: 'again', attempts: 3, left: 715 },
      { name: 'again-long-ago', attempts: 3, left: 320 },
      { name: 'long-ago', attempts: 1, left: 60 },
      { name: 'held', attempts: 1, left: 30 },
      { name: 'held-again', attempts: 2, left: 100 },
    ]);
    const frontier = new FrontierStore(pool, OWNER);
    const inHand = ['held', 'held-again'];
    expect((await new InProgressStore(pool).keep(id, [...inHand, 'unknown'])).sort()).toEqual(inHand);
    const offered = async (seconds: number) => (await frontier.inFlight(id, seconds)).map(({ captureId }) => captureId);
    expect((await offered(100)).sort()).toEqual(['again', 'just']);
    expect((await offered(Number.POSITIVE_INFINITY)).sort()).toEqual(['again', 'again-long-ago', 'just', 'long-ago']);
  });

  it('is offered again for each loss of the queue, also during an offer', async () => {
    const id = await runWith([{ name: 'only', attempts: 1, left: 170 }]);
    const frontier = new SlowFrontier(pool, OWNER);
    const db = new PrismaClient({ adapter: prismaAdapter(pool, 'crawl') });
    const log = createLogger('test', 'silent');
    const nothing = async () => undefined;
    const orchestrator = new RunOrchestrator(
      {
        runs: new RunStore(pool, db),
        leases: new LeaseStore(pool, OWNER, () => undefined),
        frontier,
        dispatch: async (_, pages) => ({ offered: pages.length, unaffordable: 0 }),
        endRun: { end: nothing, fail: nothing, failPoison: nothing, cleanUp: nothing },
        withdrawn: { returnUnheld: nothing },
        callOff: { stoppingRun: nothing, dropWork: nothing, pausedRun: () => undefined },
        sitemaps: { async *entries() {} },
        feeds: { read: async () => [] },
        feedStore: new FeedStore(pool, OWNER),
        log,
      },
      id,
    );
    const orchestration = orchestrator.orchestrate();
    await until('the first query for pages in flight', () => frontier.inFlightCalls.length === 1);
    const gate = frontier.hold();
    orchestrator.reoffer();
    await until('the query after the first loss', () => frontier.inFlightCalls.length === 2);
    orchestrator.reoffer();
    gate.reject(new Error('the database is unavailable'));
    await until('the retry', () => frontier.inFlightCalls.length === 3);
    const second = frontier.hold();
    orchestrator.reoffer();
    await until('the query after the third loss', () => frontier.inFlightCalls.length === 4);
    orchestrator.reoffer();
    second.resolve();
    await until('the query after the fourth loss', () => frontier.inFlightCalls.length === 5);
    expect(frontier.inFlightCalls).toEqual([100, ...Array.from({ length: 4 }, () => Number.POSITIVE_INFINITY)]);
    orchestrator.stop();
    await orchestration;
    await db.$disconnect();
  });
});

describe('a page that is claimed', () => {
  it('is still queued once the run is locked: a page that ended meanwhile is not claimed', async () => {
    const id = await runWith([
      { name: 'ends', attempts: 0 },
      { name: 'waits', attempts: 0 },
    ]);
    const other = await pool.connect();
    await other.query('BEGIN');
    await other.query('SELECT 1 FROM runs WHERE id = $1 FOR UPDATE', [id]);
    await other.query(`UPDATE runs SET queued = queued - 1 WHERE id = $1`, [id]);
    await other.query(`UPDATE frontier SET status = 'same' WHERE url = $1`, [`${HOME}/ends`]);
    const claiming = new FrontierStore(pool, OWNER).claim(id, 10, { perHost: 10, perRun: 400 });
    await until('the claim to wait for the run', async () => {
      const waiting = await database.sql(
        `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      return waiting.length > 0;
    });
    await other.query('COMMIT');
    other.release();
    const claim = await claiming;
    expect(claim?.pages.map(({ url }) => url)).toEqual([`${HOME}/waits`]);
    expect(claim?.run).toMatchObject({ queued: 0, inFlight: 1 });
    expect(await database.sql('SELECT status FROM crawl.frontier WHERE url = $1', [`${HOME}/ends`])).toEqual([
      { status: 'same' },
    ]);
  });
});

/** A frontier whose query for pages in flight resolves when the test allows it. */
class SlowFrontier extends FrontierStore {
  readonly inFlightCalls: number[] = [];
  #gate: Promise<void> = Promise.resolve();

  hold(): PromiseWithResolvers<void> {
    const gate = Promise.withResolvers<void>();
    this.#gate = gate.promise.finally(() => {
      this.#gate = Promise.resolve();
    });
    this.#gate.catch(() => undefined);
    return gate;
  }

  override async inFlight(runId: string, claimedWithinSeconds: number) {
    this.inFlightCalls.push(claimedWithinSeconds);
    await this.#gate;
    return super.inFlight(runId, claimedWithinSeconds);
  }
}

describe('a claim', () => {
  it('takes pages of other hosts in order while the first pages of a long queue are of hosts without room', async () => {
    const id = await runWith([{ name: 'in-flight', attempts: 1, left: 100 }]);
    await database.sql(
      `INSERT INTO crawl.frontier (run_no, url_key, url, host, depth, rank, found_via)
       SELECT r.no, sha256(p.url::bytea), p.url, p.host, 1, p.rank, 'link' FROM crawl.runs r CROSS JOIN (
         SELECT 'https://site.test/' || n, 'site.test', 1 FROM generate_series(1, 1000) n
         UNION ALL SELECT 'https://' || h || '.test/' || n, h || '.test', 10 - n FROM unnest(ARRAY['b', 'a']) h, generate_series(1, 2) n) AS p(url, host, rank)
       WHERE r.id = $1`,
      [id],
    );
    await database.sql(`UPDATE crawl.runs SET queued = 1004, max_pages = 10000 WHERE id = $1`, [id]);
    const frontier = new FrontierStore(pool, OWNER);
    const claimed = async () => (await frontier.claim(id, 3, { perHost: 1, perRun: 400 }))?.pages.map(({ url }) => url);
    expect(await claimed()).toEqual(['https://b.test/2', 'https://a.test/2']);
    expect(await claimed()).toEqual([]);
  });

  it('fills the bound of every one of a thousand hosts, although the pages of each follow each other in the queue', async () => {
    const id = await runWith([]);
    await database.sql(
      `INSERT INTO crawl.frontier (run_no, url_key, url, host, depth, rank, found_via)
       SELECT r.no, sha256((h || '/' || n)::bytea), 'https://' || h || '.test/' || n, h || '.test', 1, 1, 'link'
       FROM crawl.runs r CROSS JOIN generate_series(1, 1000) h CROSS JOIN generate_series(1, 10) n WHERE r.id = $1 ORDER BY h, n`,
      [id],
    );
    await database.sql(`UPDATE crawl.runs SET queued = 10000, max_pages = 100000 WHERE id = $1`, [id]);
    const frontier = new FrontierStore(pool, OWNER);
    const perHost = new Map<string, number>();
    let claims = 0;
    for (;;) {
      const pages = (await frontier.claim(id, 64, { perHost: 2, perRun: 2_400 }))?.pages ?? [];
      if (pages.length === 0) break;
      claims += 1;
      for (const { host } of pages) perHost.set(host, (perHost.get(host) ?? 0) + 1);
    }
    expect(perHost.size).toBe(1_000);
    expect(new Set(perHost.values())).toEqual(new Set([2]));
    // Each claim but the last is full.
    expect(claims).toBe(Math.ceil(2_000 / 64));
  });
});
