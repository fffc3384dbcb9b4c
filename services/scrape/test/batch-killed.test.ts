import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ScrapeServiceService as Rpc, StartBatchRequest } from '@tidemark/contracts/scrape/v1/scrape';
import { callerIn, captureOptions, newWorkspace, spawnService, until } from '@tidemark/testkit';
import { article, clientIn, openScrape, type ScrapeServers } from './scrape-servers.ts';

const MAIN = resolve(import.meta.dirname, '../src/main.ts');

let servers: ScrapeServers;
/** Pending requests by path, answered by a test. */
const held = new Map<string, () => void>();

beforeAll(async () => {
  servers = await openScrape((request, response) => {
    const path = request.url ?? '/';
    if (path === '/robots.txt') return void response.end('User-agent: *');
    response.setHeader('content-type', 'text/html; charset=utf-8');
    if (path.startsWith('/held')) return void held.set(path, () => response.end(article(path)));
    setTimeout(() => response.end(article(path)), 60);
  });
}, 120_000);
afterAll(() => servers.close());

describe('batch whose process is killed', () => {
  it('is completed by another process: every page once, none charged twice', async () => {
    await servers.service.close();
    const doomed = await spawnService('scrape', MAIN, servers.serviceEnv);
    const workspaceId = newWorkspace();
    const paths = Array.from({ length: 24 }, (_, i) => (i === 10 ? '/held/killed' : `/slow/killed/${i}`));
    const started = await doomed.peer.call(
      Rpc.startBatch,
      StartBatchRequest.fromPartial({
        urls: paths.map((path) => new URL(path, servers.site.origin).href),
        options: captureOptions(),
        concurrency: 3,
      }),
      callerIn(workspaceId),
    );
    const id = started.job?.id ?? '';
    await until('a page without a response', () => held.has('/held/killed'));
    await doomed.kill('SIGKILL');
    held.clear();
    // Its leases expire at once.
    await servers.database.sql(
      "UPDATE scrape.batch_pages SET lease_until = now() - interval '1 second' WHERE job_id = $1 AND status = 'running'",
      [id],
    );
    servers.service = await servers.replica();
    const batch = clientIn(servers, workspaceId);
    await until('the page is requested again', () => held.has('/held/killed'));
    held.get('/held/killed')?.();
    const ended = await batch.ended(id, 60_000);
    expect(ended).toMatchObject({ status: 'done', done: 24, creditsUsed: 24 });
    const listing = { id, after: 0, limit: 100, inInputOrder: false };
    const { pages } = await servers.service.peer.call(Rpc.listEnded, listing, callerIn(workspaceId));
    expect(pages.map(({ number }) => number)).toEqual(Array.from({ length: 24 }, (_, i) => i + 1));
    await until('every charge is published', () => pages.every(({ pageId }) => servers.billing.spent.has(pageId)));
  }, 150_000);
});
