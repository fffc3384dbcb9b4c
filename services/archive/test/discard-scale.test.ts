import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PageRow } from '@tidemark/contracts/page/v1/page';
import { openPool } from '@tidemark/service';
import { startTestServers, type TestServers } from '@tidemark/testkit';
import type pg from 'pg';
import { oldestIdAt } from '../src/domain/page-age.ts';
import { DiscardStore } from '../src/store/discard-store.ts';

const PAGES = 100_000;
const DAY_MS = 86_400_000;
let servers: TestServers;
let pool: pg.Pool;
let discards: DiscardStore;

beforeAll(async () => {
  servers = await startTestServers();
  // One connection, so that what its statements read is counted in one place.
  pool = openPool(servers.database.url, 'archive', 1);
  discards = new DiscardStore(pool);
  const row = Buffer.from(
    PageRow.encode(PageRow.create({ id: 'cap', reason: 'as long as a row is. '.repeat(40) })).finish(),
  );
  // A tenth of the pages is a hundred days old, and kept by runs; a thousand of the scrapes' pages are as old.
  await pool.query(
    `INSERT INTO pages (id, workspace_id, job_id, url, verdict, http_status, row, crawled_at, content_key, screenshot_key, evidence_key)
     SELECT CASE WHEN i % 10 = 0 OR i <= 1000 THEN $2 ELSE $3 END || lpad(i::text, 16, '0'), 'ws_' || i % 50,
       CASE WHEN i % 10 = 0 THEN 'run_' || i % 40 ELSE 'job_' || i END, 'https://example.com/' || i, 'ok', 200, $4, now(),
       hashtextextended(i::text, 1), 0, 0
     FROM generate_series(1, $1::int) AS i`,
    [PAGES, oldestIdAt(new Date(Date.now() - 100 * DAY_MS)), oldestIdAt(new Date()), row],
  );
  await pool.query('ANALYZE pages');
}, 120_000);
afterAll(async () => {
  await pool.end();
  await servers.close();
});

async function wholeReads(): Promise<number> {
  await pool.query('SELECT pg_stat_force_next_flush()');
  const { rows } = await pool.query<{ n: number }>(
    "SELECT seq_scan::int AS n FROM pg_stat_user_tables WHERE schemaname = 'archive' AND relname = 'pages'",
  );
  return rows[0]?.n ?? -1;
}

describe(`among ${PAGES} pages`, () => {
  it('has no sweep that reads every page: not for expiry, a run’s pages, missing keys, or references to a blob', async () => {
    const before = await wholeReads();
    const old = new Date(Date.now() - 90 * DAY_MS);
    // Each statement often enough for the plan that is then kept for all values.
    for (let i = 0; i < 8; i += 1) {
      await discards.expireBatch(old);
      await discards.record([{ runId: `run_${i}`, workspaceId: `ws_${i}`, neededBy: '' }]);
      expect(await discards.discardBatch()).toBe(true);
      expect(await discards.keyBatch()).toBe(false);
      const names = Array.from(
        { length: 200 },
        (_, at) => `${(i * 200 + at).toString(16).padStart(16, '0')}${'0'.repeat(48)}`,
      );
      expect((await discards.findReferenced(names)).size).toBe(0);
    }
    expect(await wholeReads()).toBe(before);
  });
});
