import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { openPool } from '@tidemark/service';
import { type FakeScrapeWorkers, type RunningService, until } from '@tidemark/testkit';
import { DiscardStore } from '../src/store/retention/discard-store.ts';
import { type CrawlServers, clientIn, openCrawl, type Site, siteOf } from './crawl-servers.ts';

let servers: CrawlServers;
let service: RunningService;
let workers: FakeScrapeWorkers | undefined;
beforeAll(async () => {
  servers = await openCrawl();
  service = await servers.start();
}, 120_000);
afterEach(async () => {
  await workers?.close();
  servers.sitemap = [];
});
afterAll(() => servers.close());

async function crawlOf(site: Site, scope: Parameters<ReturnType<typeof clientIn>['start']>[0] = {}) {
  workers = await servers.workers(siteOf(site));
  const client = clientIn(service);
  const { id } = await client.start(scope);
  return { client, id, run: await client.ended(id) };
}

describe('a run without a project', () => {
  it('is discarded with its pages a day after its end, but not while another run builds on it', async () => {
    const { client, id } = await crawlOf({ '/': { links: ['/a'] }, '/a': {} });
    const sql = servers.servers.database.sql;
    const [run] = await sql<{ no: string }>('SELECT no FROM crawl.runs WHERE id = $1', [id]);
    const { pool, discards } = openDiscards(servers);
    const endedAgo = (hours: number) =>
      sql(`UPDATE crawl.runs SET finished_at = now() - make_interval(hours => $2) WHERE id = $1`, [id, hours]);
    await endedAgo(23);
    expect(await discards.discardBatch()).toBe(false);
    if (workers !== undefined) workers.isHeld = true;
    const { id: next } = await client.start();
    await endedAgo(25);
    expect(await discards.discardBatch()).toBe(false);
    expect(await client.get(id)).toMatchObject({ id, done: 2 });
    if (workers !== undefined) workers.isHeld = false;
    await client.ended(next);
    await until('the run to be discarded', async () => {
      await discards.discardBatch();
      return (await sql('SELECT 1 FROM crawl.runs WHERE id = $1', [id])).length === 0;
    });
    await pool.end();
    await expect(client.get(id)).rejects.toMatchObject({ code: 'not_found' });
    expect(await sql('SELECT 1 FROM crawl.frontier WHERE run_no = $1', [run?.no])).toEqual([]);
    expect(await client.get(next)).toMatchObject({ status: 'done' });
  });
});

function openDiscards({ servers: { database } }: CrawlServers) {
  const pool = openPool(database.url, 'crawl', 1);
  return { pool, discards: new DiscardStore(pool, () => undefined) };
}
