import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { until } from '@tidemark/testkit';
import { type CrawlServers, clientIn, HOME, openCrawl } from './crawl-servers.ts';

let servers: CrawlServers;
beforeAll(async () => {
  servers = await openCrawl();
}, 120_000);
afterAll(() => servers.close());

it('a cancelled run releases the credits leased for pages that no worker reports', async () => {
  // No worker fetches its pages: the run itself publishes their charges.
  const client = clientIn(await servers.start());
  const urlList = Array.from({ length: 40 }, (_, n) => `${HOME}/p${n}`);
  const { id } = await client.start({ crawlMode: 'list_only', urlList });
  const held = () => [...servers.billing.leases.values()].filter((lease) => lease.workspaceId === client.workspaceId);
  await until('pages to be offered', () => held().length >= 16);
  await client.cancel(id);
  await until('the release of all reserved credits', () => held().length === 0);
  expect(await client.get(id)).toMatchObject({ status: 'cancelled', creditsUsed: 0 });
});
