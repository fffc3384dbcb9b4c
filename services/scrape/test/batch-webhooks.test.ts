import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { events } from '@tidemark/contracts';
import type { BatchEnded } from '@tidemark/contracts/scrape/v1/events';
import { ScrapeServiceService as Rpc, StartBatchRequest } from '@tidemark/contracts/scrape/v1/scrape';
import { Sealer } from '@tidemark/sealing';
import { Bus, createLogger } from '@tidemark/service';
import { callerIn, captureOptions, newWorkspace, until } from '@tidemark/testkit';
import { article, clientIn, openScrape, type ScrapeServers } from './scrape-servers.ts';

let servers: ScrapeServers;
const ended: BatchEnded[] = [];
const held: (() => void)[] = [];

beforeAll(async () => {
  servers = await openScrape((request, response) => {
    if (request.url === '/robots.txt') return void response.end('');
    response.setHeader('content-type', 'text/html');
    if (request.url?.startsWith('/held')) return void held.push(() => response.end(article('held')));
    response.end(article(request.url ?? ''));
  });
  const bus = servers.own(await Bus.connect(servers.nats.url, 'delivery', createLogger('test', 'fatal')));
  bus.consume(events.batchEnded, 'delivery', async (batch) => {
    ended.push(...batch.map(({ event }) => event));
  });
  await bus.prepare();
}, 120_000);
afterAll(async () => {
  for (const letGo of held) letGo();
  await servers.close();
});

/** A batch of a separate workspace; `hook`: with a webhook. */
async function batch(paths: readonly string[], hook = true, more: Partial<StartBatchRequest> = {}) {
  const workspaceId = newWorkspace();
  const urls = paths.map((path) => new URL(path, servers.site.origin).href);
  const webhookUrl = hook ? `${servers.site.origin}/hook` : '';
  const request = { urls, options: captureOptions(), concurrency: 4, delayMs: 0, webhookUrl, ...more };
  const response = await servers.service.peer.call(
    Rpc.startBatch,
    StartBatchRequest.fromPartial(request),
    callerIn(workspaceId),
  );
  const id = response.job?.id ?? '';
  const endEvents = () => ended.filter(({ job }) => job?.id === id);
  return { ...clientIn(servers, workspaceId), id, secret: response.webhookSecret, webhookUrl, endEvents };
}

const settled = () =>
  until('every event is confirmed', async () => {
    const rows = await servers.database.sql("SELECT FROM scrape.outbox WHERE subject = 'event.batch.ended'");
    return rows.length === 0;
  });

describe('batch with a webhook', () => {
  it('publishes its end once, with its last page; a batch without a webhook does not', async () => {
    const [withHook, withoutHook] = [await batch(['/a', '/b', '/c']), await batch(['/a'], false)];
    await Promise.all([withHook.ended(withHook.id), withoutHook.ended(withoutHook.id)]);
    await until('the event of the end', () => withHook.endEvents().length > 0);
    await settled();
    expect(withHook.endEvents()).toMatchObject([
      {
        workspaceId: withHook.workspaceId,
        job: { kind: 'batch', status: 'done', done: 3, total: 3, queued: 0, creditsUsed: 3, counts: { ok: 3 } },
      },
    ]);
    const { job } = await servers.service.peer.call(Rpc.getJob, { id: withHook.id }, callerIn(withHook.workspaceId));
    expect(withHook.endEvents()[0]?.job).toEqual(job);
    expect(withoutHook.endEvents()).toEqual([]);
  });

  it('publishes the events and metadata of its webhook, and counts duplicates', async () => {
    const more = { webhookEvents: ['scrape.failed'], webhookMetadataJson: '{"order":7}' };
    const { id, ended, endEvents } = await batch(['/a', '/b', '/a'], true, more);
    await ended(id);
    const event = await until('the event of the end', () => endEvents()[0]);
    expect(event).toMatchObject({ events: ['scrape.failed'], metadataJson: '{"order":7}' });
    expect(event.job?.counts).toEqual({ ok: 2, duplicates: 1 });
  });

  it('publishes its cancellation once', async () => {
    const { id, cancel, endEvents } = await batch(['/held/1', '/b']);
    await cancel(id);
    await cancel(id);
    await until('the event of the end', () => endEvents().length > 0);
    await settled();
    expect(endEvents()).toMatchObject([{ job: { status: 'cancelled', total: 2, queued: 0 } }]);
  });

  it('publishes its webhook URL and secret, sealed for this batch only', async () => {
    const { id, secret, webhookUrl, workspaceId, endEvents } = await batch(['/a']);
    expect(secret).toMatch(/^whsec_/);
    const event = await until('the event of the end', () => endEvents()[0]);
    expect(event).toMatchObject({ workspaceId });
    const sealer = new Sealer(servers.serviceEnv['SEALING_KEYS'] ?? '');
    expect(sealer.open(event.sealedUrl, `${id}:url`)).toBe(webhookUrl);
    expect(sealer.open(event.sealedSecret, id)).toBe(secret);
    expect(() => sealer.open(event.sealedSecret, 'job_other')).toThrow();
    expect(Buffer.from(event.sealedSecret).toString('latin1')).not.toContain(secret);
  });

  it('returns the secret of its webhook, again under the Idempotency-Key only, and refuses a webhook to a private address', async () => {
    const workspaceId = newWorkspace();
    const start = (more: Partial<StartBatchRequest>) => {
      const request = { urls: [new URL('/hook', servers.site.origin).href], options: captureOptions(), concurrency: 4 };
      const message = StartBatchRequest.fromPartial({ ...request, ...more });
      return servers.service.peer.call(Rpc.startBatch, message, callerIn(workspaceId));
    };
    const keyed = { webhookUrl: 'https://example.com/hook', idempotencyKey: 'hook', requestHash: 'a' };
    const { webhookSecret, job } = await start(keyed);
    expect(webhookSecret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const [row] = await servers.database.sql<{ webhook_secret: Buffer }>(
      'SELECT webhook_secret FROM scrape.jobs WHERE id = $1',
      [job?.id],
    );
    expect(row?.webhook_secret.includes(webhookSecret.slice(6))).toBe(false);
    // The secret is repeated after the end of the batch too.
    await clientIn(servers, workspaceId).ended(job?.id ?? '');
    const again = await start(keyed);
    expect(again).toMatchObject({ webhookSecret, replayed: true, job: { id: job?.id } });
    await expect(start({ ...keyed, requestHash: 'b' })).rejects.toMatchObject({ code: 'conflict' });
    await expect(start({ webhookUrl: 'http://127.0.0.1:8080/' })).rejects.toMatchObject({
      code: 'validation',
      message: expect.stringContaining('webhook_url'),
    });
  });
});
