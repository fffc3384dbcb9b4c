import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { facts } from '@tidemark/contracts';
import type { BatchEnded } from '@tidemark/contracts/scrape/v1/events';
import { ScrapeServiceService as Rpc, StartBatchRequest } from '@tidemark/contracts/scrape/v1/scrape';
import { Bus, createLogger } from '@tidemark/service';
import { callerIn, captureOptions, newWorkspace, until } from '@tidemark/testkit';
import { article, clientIn, openScrape, type ScrapeGround } from './scrape-ground.ts';

let ground: ScrapeGround;
const ended: BatchEnded[] = [];
const held: (() => void)[] = [];

beforeAll(async () => {
  ground = await openScrape((request, response) => {
    if (request.url === '/robots.txt') return void response.end('');
    response.setHeader('content-type', 'text/html');
    if (request.url?.startsWith('/held')) return void held.push(() => response.end(article('held')));
    response.end(article(request.url ?? ''));
  });
  const bus = ground.own(await Bus.connect(ground.nats.url, 'delivery', createLogger('test', 'fatal')));
  bus.consume(facts.batchEnded, 'delivery', async (batch) => {
    ended.push(...batch.map(({ fact }) => fact));
  });
  await bus.prepare();
}, 120_000);
afterAll(async () => {
  for (const letGo of held) letGo();
  await ground.close();
});

/** A batch of a separate workspace; `hook`: with a webhook. */
async function batch(paths: readonly string[], hook = true) {
  const workspaceId = newWorkspace();
  const urls = paths.map((path) => new URL(path, ground.site.origin).href);
  const webhookUrl = hook ? `${ground.site.origin}/hook` : '';
  const asked = { urls, options: captureOptions(), concurrency: 4, delayMs: 0, webhookUrl };
  const answer = await ground.service.peer.call(
    Rpc.startBatch,
    StartBatchRequest.fromPartial(asked),
    callerIn(workspaceId),
  );
  const id = answer.job?.id ?? '';
  const told = () => ended.filter(({ jobId }) => jobId === id);
  return { ...clientIn(ground, workspaceId), id, secret: answer.webhookSecret, webhookUrl, told };
}

const settled = () =>
  until('every fact to be confirmed', async () => {
    const rows = await ground.database.sql("SELECT FROM scrape.outbox WHERE subject = 'event.batch.ended'");
    return rows.length === 0;
  });
const open = (jobId: string, workspaceId: string) =>
  ground.service.peer.call(Rpc.openWebhook, { jobId }, callerIn(workspaceId));

describe('batch with a webhook', () => {
  it('publishes its end once, with its last page; a batch without a webhook does not', async () => {
    const [told, silent] = [await batch(['/a', '/b', '/c']), await batch(['/a'], false)];
    await Promise.all([told.ended(told.id), silent.ended(silent.id)]);
    await until('the fact', () => told.told().length > 0);
    await settled();
    expect(told.told()).toMatchObject([{ workspaceId: told.workspaceId, status: 'done' }]);
    expect(silent.told()).toEqual([]);
  });

  it('publishes its cancellation once', async () => {
    const { id, cancel, told } = await batch(['/held/1', '/b']);
    await cancel(id);
    await cancel(id);
    await until('the fact', () => told().length > 0);
    await settled();
    expect(told()).toMatchObject([{ status: 'cancelled' }]);
  });

  it('is opened only for its own workspace, with the secret its owner received', async () => {
    const { id, secret, webhookUrl, workspaceId } = await batch(['/a']);
    expect(secret).toMatch(/^whsec_/);
    expect(await open(id, workspaceId)).toEqual({ url: webhookUrl, secret });
    await expect(open(id, newWorkspace())).rejects.toMatchObject({ code: 'not_found' });
    const without = await batch(['/a'], false);
    await expect(open(without.id, without.workspaceId)).rejects.toMatchObject({ code: 'not_found' });
  });
});
