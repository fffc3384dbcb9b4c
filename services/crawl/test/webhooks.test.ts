import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { events, newId } from '@tidemark/contracts';
import { CrawlServiceService as Rpc } from '@tidemark/contracts/crawl/v1/crawl';
import type { RunWatched } from '@tidemark/contracts/crawl/v1/events';
import { Sealer } from '@tidemark/sealing';
import { Bus, createLogger } from '@tidemark/service';
import { callerIn, captureOptions, newWorkspace, type RunningService, until } from '@tidemark/testkit';
import { type CrawlServers, clientIn, HOME, openCrawl, scopeOf, siteOf } from './crawl-servers.ts';

const HOOK = 'http://127.0.0.1/hook';
const METADATA = '{"order":7}';
let servers: CrawlServers;
let service: RunningService;
const watched: RunWatched[] = [];

beforeAll(async () => {
  servers = await openCrawl();
  service = await servers.start();
  await servers.workers(siteOf({ '/': { links: ['/a', '/gone'] }, '/a': {} }));
  const bus = servers.servers.own(
    await Bus.connect(servers.servers.nats.url, 'delivery', createLogger('test', 'fatal')),
  );
  bus.consume(events.runWatched, 'delivery', async (batch) => {
    watched.push(...batch.map(({ event }) => event));
  });
  await bus.prepare();
}, 120_000);
afterAll(() => servers.close());

async function start(workspaceId: string, webhookUrl: string) {
  const order = {
    seed: `${HOME}/`,
    scope: scopeOf(),
    options: captureOptions(),
    trigger: 'crawl' as const,
    projectId: '',

    webhookUrl,
    webhookEvents: ['crawl.page'],
    webhookMetadataJson: METADATA,
    configJson: '',

    idempotencyKey: newId('req'),
    requestHash: 'h',
  };
  const caller = callerIn(workspaceId);
  const response = await service.peer.call(Rpc.startRun, order, caller);
  await service.peer.call(Rpc.startRun, order, caller);
  return { id: response.run?.id ?? '', secret: response.webhookSecret };
}

const watchOf = (id: string) => until('the event', () => watched.find(({ runId }) => runId === id));

describe('a run with a webhook', () => {
  it('publishes one run-watched event, and a run without a webhook publishes none', async () => {
    const workspaceId = newWorkspace();
    const without = await start(workspaceId, '');
    const { id } = await start(workspaceId, HOOK);
    await watchOf(id);
    await until(
      'the deletion of its row',
      async () => (await servers.servers.database.sql('SELECT FROM crawl.outbox')).length === 0,
    );
    expect(watched.filter(({ runId }) => runId === id)).toHaveLength(1);
    expect(watched.map(({ runId }) => runId)).not.toContain(without.id);
  });

  it('publishes the URL, the events and the secret of the webhook, sealed for this run', async () => {
    const workspaceId = newWorkspace();
    const { id, secret } = await start(workspaceId, HOOK);
    const { sealedSecret, sealedUrl, ...event } = await watchOf(id);
    expect(event).toMatchObject({ workspaceId, events: ['crawl.page'], metadataJson: METADATA });
    const sealer = new Sealer(servers.env['SEALING_KEYS'] ?? '');
    expect(sealer.open(sealedSecret, id)).toBe(secret);
    expect(sealer.open(sealedUrl, `${id}:url`)).toBe(HOOK);
    expect(() => sealer.open(sealedSecret, newId('run'))).toThrow();
    expect(JSON.stringify(event)).not.toContain(secret);
    expect(Buffer.from(sealedSecret).toString('latin1')).not.toContain(secret);
  });
});

describe('a page that has ended', () => {
  it('is listed with its result', async () => {
    const client = clientIn(service);
    const { id } = await client.start();
    await client.ended(id);
    const pages = await client.pages(id);
    expect(
      pages.map(({ url, verdict, errorCode, httpStatus, credits }) => ({
        url,
        verdict,
        errorCode,
        httpStatus,
        credits,
      })),
    ).toEqual(
      expect.arrayContaining([
        { url: `${HOME}/a`, verdict: 'ok', errorCode: 'OK', httpStatus: 200, credits: 1 },
        expect.objectContaining({ url: `${HOME}/gone`, verdict: 'blocked', httpStatus: 404 }),
      ]),
    );
  });
});
