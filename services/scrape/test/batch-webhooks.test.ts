import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { facts } from '@tidemark/contracts';
import type { BatchEnded } from '@tidemark/contracts/scrape/v1/events';
import { ScrapeServiceService as Rpc, StartBatchRequest } from '@tidemark/contracts/scrape/v1/scrape';
import { Sealer } from '@tidemark/sealing';
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

/** A batch of a workspace of its own; `hook`: with a webhook. */
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
  const told = () => ended.filter(({ job }) => job?.id === id);
  return { ...clientIn(ground, workspaceId), id, secret: answer.webhookSecret, webhookUrl, told };
}

const settled = () =>
  until('every fact to be confirmed', async () => {
    const rows = await ground.database.sql("SELECT FROM scrape.outbox WHERE subject = 'event.batch.ended'");
    return rows.length === 0;
  });

describe('a batch with a webhook', () => {
  it('is told once to have ended, when its last page is in; one without is not', async () => {
    const [told, silent] = [await batch(['/a', '/b', '/c']), await batch(['/a'], false)];
    await Promise.all([told.ended(told.id), silent.ended(silent.id)]);
    await until('the fact', () => told.told().length > 0);
    await settled();
    expect(told.told()).toMatchObject([
      {
        workspaceId: told.workspaceId,
        job: { kind: 'batch', status: 'done', done: 3, total: 3, queued: 0, creditsUsed: 3, counts: { ok: 3 } },
      },
    ]);
    const { job } = await ground.service.peer.call(Rpc.getJob, { id: told.id }, callerIn(told.workspaceId));
    expect(told.told()[0]?.job).toEqual(job);
    expect(silent.told()).toEqual([]);
  });

  it('is told to have been cancelled, once', async () => {
    const { id, cancel, told } = await batch(['/held/1', '/b']);
    await cancel(id);
    await cancel(id);
    await until('the fact', () => told().length > 0);
    await settled();
    expect(told()).toMatchObject([{ job: { status: 'cancelled', total: 2, queued: 0 } }]);
  });

  it('publishes where it is, and the secret its owner was given, sealed for the batch alone', async () => {
    const { id, secret, webhookUrl, workspaceId, told } = await batch(['/a']);
    expect(secret).toMatch(/^whsec_/);
    const event = await until('the fact', () => told()[0]);
    expect(event).toMatchObject({ workspaceId, webhookUrl });
    const sealer = new Sealer(ground.serviceEnv['SEALING_KEYS'] ?? '');
    expect(sealer.open(event.sealedSecret, id)).toBe(secret);
    expect(() => sealer.open(event.sealedSecret, 'job_other')).toThrow();
    expect(Buffer.from(event.sealedSecret).toString('latin1')).not.toContain(secret);
  });
});
