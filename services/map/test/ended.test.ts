import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { facts, newId } from '@tidemark/contracts';
import type { MapEnded } from '@tidemark/contracts/map/v1/events';
import { Bus, createLogger } from '@tidemark/service';
import { until } from '@tidemark/testkit';
import { type Answers, clientIn, type MapGround, openMap, siteOf, urlset } from './map-ground.ts';

let answers: Answers = {};
let ground: MapGround;
const ended: MapEnded[] = [];
beforeAll(async () => {
  ground = await openMap(
    siteOf(() => answers),
    siteOf(() => ({})),
  );
  const bus = ground.own(await Bus.connect(ground.nats.url, 'delivery', createLogger('test', 'fatal')));
  bus.consume(facts.mapEnded, 'delivery', async (batch) => {
    ended.push(...batch.map(({ fact }) => fact));
  });
  await bus.prepare();
}, 120_000);
afterAll(() => ground.close());

describe('a map of a project', () => {
  it('is told to have ended, whoever asked for it, and the map of a workspace is not', async () => {
    answers = { '/sitemap.xml': urlset(ground.site.origin, ['/a']) };
    const [client, projectId] = [clientIn(ground), newId('prj')];
    const none = await client.map();
    const asked = await client.map({}, { projectId });
    const read = await client.map({ forCrawl: true }, { projectId });
    await until('both facts', () => ended.length >= 2);
    expect(ended.map(({ job }) => [job?.id, job?.status])).toEqual([
      [asked.job?.id, 'done'],
      [read.job?.id, 'done'],
    ]);
    expect(ended.map(({ job }) => job?.id)).not.toContain(none.job?.id);
    expect(ended[0]?.job).toEqual(asked.job);
  });

  it('that a crawl read for itself, and that made no snapshot, is no news', async () => {
    answers = { '/': '<a href="/a">a</a>' };
    const [client, projectId] = [clientIn(ground), newId('prj')];
    const read = await client.map({ forCrawl: true }, { projectId });
    const asked = await client.map({}, { projectId });
    await until('the fact', () => ended.some(({ job }) => job?.id === asked.job?.id));
    expect(ended.map(({ job }) => job?.id)).not.toContain(read.job?.id);
  });
});
