import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { events, newId } from '@tidemark/contracts';
import type { MapEnded } from '@tidemark/contracts/map/v1/events';
import { Bus, createLogger } from '@tidemark/service';
import { until } from '@tidemark/testkit';
import { clientIn, type MapServers, type SiteFiles, siteOf, startMapServers, urlset } from './map-servers.ts';

let siteFiles: SiteFiles = {};
let servers: MapServers;
const received: MapEnded[] = [];
beforeAll(async () => {
  servers = await startMapServers(
    siteOf(() => siteFiles),
    siteOf(() => ({})),
  );
  const bus = servers.own(await Bus.connect(servers.nats.url, 'delivery', createLogger('test', 'fatal')));
  bus.consume(events.mapEnded, 'delivery', async (batch) => {
    received.push(...batch.map(({ event }) => event));
  });
  await bus.prepare();
}, 120_000);
afterAll(() => servers.close());

describe('event.map.ended', () => {
  it('is published for maps of a project, also for a crawl, and not for maps without a project', async () => {
    siteFiles = { '/sitemap.xml': urlset(servers.site.origin, ['/a']) };
    const [client, projectId] = [clientIn(servers), newId('prj')];
    const withoutProject = await client.map();
    const requested = await client.map({}, { projectId });
    const ofCrawl = await client.map({ forCrawl: true }, { projectId });
    await until('both received', () => received.length >= 2);
    expect(received.map(({ job }) => [job?.id, job?.status])).toEqual([
      [requested.job?.id, 'done'],
      [ofCrawl.job?.id, 'done'],
    ]);
    expect(received.map(({ job }) => job?.id)).not.toContain(withoutProject.job?.id);
    expect(received[0]?.job).toEqual(requested.job);
  });

  it('is not published for the map of a crawl that created no snapshot', async () => {
    siteFiles = { '/': '<a href="/a">a</a>' };
    const [client, projectId] = [clientIn(servers), newId('prj')];
    const ofCrawl = await client.map({ forCrawl: true }, { projectId });
    const requested = await client.map({}, { projectId });
    await until('the event of the requested map', () => received.some(({ job }) => job?.id === requested.job?.id));
    expect(received.map(({ job }) => job?.id)).not.toContain(ofCrawl.job?.id);
  });
});
