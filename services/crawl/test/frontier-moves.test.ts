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

const OWNER = 'this conductor';
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
  /** How often it was offered; 0: it waits. */
  readonly attempts: number;
  /** Seconds until it counts as lost. */
  readonly left?: number;
}

/** A run of ours with these pages. */
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

describe('work that may not have gone out', () => {
  it('is what was claimed lately, however often, and is in nobody’s hands', async () => {
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

  it('is offered once more for each time the queue is lost, also while it is being offered', async () => {
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
        endRun: { end: nothing, fail: nothing, cleanUp: nothing },
        callOff: { stoppingRun: nothing },
        sitemaps: { async *entries() {} },
        feeds: { read: async () => [] },
        feedStore: new FeedStore(pool, OWNER),
        log,
      },
      id,
    );
    const orchestration = orchestrator.orchestrate();
    await until('what its former conductor claimed to be looked for', () => frontier.asked.length === 1);
    const gate = frontier.hold();
    orchestrator.reoffer();
    await until('the first loss to be seen to', () => frontier.asked.length === 2);
    orchestrator.reoffer();
    gate.reject(new Error('the database is away'));
    await until('that to be tried again', () => frontier.asked.length === 3);
    const second = frontier.hold();
    orchestrator.reoffer();
    await until('the third loss to be seen to', () => frontier.asked.length === 4);
    orchestrator.reoffer();
    second.resolve();
    await until('the fourth loss to be seen to', () => frontier.asked.length === 5);
    expect(frontier.asked).toEqual([100, ...Array.from({ length: 4 }, () => Number.POSITIVE_INFINITY)]);
    orchestrator.stop();
    await orchestration;
    await db.$disconnect();
  });
});

describe('a page that is claimed', () => {
  it('still waits when the run is locked: one that ended meanwhile is left alone', async () => {
    const id = await runWith([
      { name: 'ends', attempts: 0 },
      { name: 'waits', attempts: 0 },
    ]);
    const other = await pool.connect();
    await other.query('BEGIN');
    await other.query('SELECT 1 FROM runs WHERE id = $1 FOR UPDATE', [id]);
    await other.query(`UPDATE runs SET queued = queued - 1 WHERE id = $1`, [id]);
    await other.query(`UPDATE frontier SET status = 'same' WHERE url = $1`, [`${HOME}/ends`]);
    const claiming = new FrontierStore(pool, OWNER).claim(id, 10, 10);
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

/** A frontier whose pages under way are told when the test lets them be. */
class SlowFrontier extends FrontierStore {
  readonly asked: number[] = [];
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
    this.asked.push(claimedWithinSeconds);
    await this.#gate;
    return super.inFlight(runId, claimedWithinSeconds);
  }
}
