import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { events, newId } from '@tidemark/contracts';
import type { RunPage } from '@tidemark/contracts/page/v1/page';
import { newWorkspace, until } from '@tidemark/testkit';
import { type FakeCrawl, HOOK, SECRET } from './fake-peers.ts';
import { API, type NotificationServers, queuedWhen, startNotificationServers } from './notification-servers.ts';

let servers: NotificationServers;
beforeAll(async () => {
  servers = await startNotificationServers();
}, 120_000);
afterAll(() => servers.close());

const pagesTo = (count: number, from = 1): Partial<RunPage>[] =>
  Array.from({ length: count - from + 1 }, (_, at) => ({
    url: `https://site.test/${from + at}`,
    verdict: 'ok',
    errorCode: 'OK',
    httpStatus: 200,
    credits: 1,

    depth: 1,
    foundVia: 'link',
  }));

/** A new crawl with a webhook. */
async function watched(made: Partial<FakeCrawl> = {}) {
  const [runId, workspaceId] = [newId('run'), newWorkspace()];
  const crawl: FakeCrawl = { run: {}, pages: [], events: [], metadataJson: undefined, ...made };
  servers.peers.workspaces.set(runId, workspaceId);
  servers.peers.crawls.set(runId, crawl);
  const { events: subscribed, metadataJson } = crawl;
  const event = {
    runId,
    workspaceId,
    at: new Date(),
    events: subscribed,
    metadataJson,
    sealedUrl: servers.sealer.seal(HOOK, `${runId}:url`),
    sealedSecret: servers.sealer.seal(SECRET, runId),
  };
  const watch = () => servers.publish(events.runWatched, newId('req'), event);
  await watch();
  const watches = () =>
    servers.servers.database.sql('SELECT FROM delivery.watches WHERE run_id = $1 AND due IS NOT NULL', [runId]);
  const isOver = () => until('the deletion of the watch', async () => (await watches()).length === 0);
  return { runId, workspaceId, crawl, isOver, watch };
}

const numbersOf = (message: { data: Readonly<Record<string, unknown>> } | undefined): number[] =>
  Array.isArray(message?.data['pages']) ? message.data['pages'].map(({ number }) => number) : [];

describe('the webhook of a crawl', () => {
  it('gets no more messages after the process that prepares them ended five times in a row without progress', async () => {
    const { runId, isOver } = await watched({ run: { status: 'queued' } });
    const sql = (text: string) => servers.servers.database.sql<{ interrupted: number }>(text, [runId]);
    const dies = `UPDATE delivery.watches SET owner = 'gone', lease_until = now() - interval '1 second', due = now(), interrupted = interrupted + `;
    await until(
      'the crawl to be watched',
      async () => (await sql('SELECT FROM delivery.watches WHERE run_id = $1')).length > 0,
    );
    await sql(`${dies} 3 WHERE run_id = $1`);
    const reset = async () => {
      const [row] = await sql('SELECT interrupted FROM delivery.watches WHERE run_id = $1 AND due IS NOT NULL');
      return row?.interrupted === 0;
    };
    await until('the count to restart after a poll that ended', reset);
    await sql(`${dies} 4 WHERE run_id = $1`);
    await isOver();
  });

  it('receives the start, pages by fifty, and the end last', async () => {
    const metadataJson = '{"order":7}';
    const { runId, crawl, isOver } = await watched({
      run: { done: 120, total: 120 },
      pages: pagesTo(120),
      metadataJson,
    });
    await queuedWhen(servers, { runId }, ({ length }) => length === 3);
    crawl.run = {
      status: 'done',
      stop: 'finished',
      done: 120,
      total: 120,
      counts: { ok: 120 },
      finishedAt: new Date(),
    };
    const queued = await queuedWhen(servers, { runId }, ({ length }) => length === 5);
    await isOver();
    expect(queued.map(({ event }) => event)).toEqual([
      'crawl.started',
      'crawl.page',
      'crawl.page',
      'crawl.page',
      'crawl.completed',
    ]);
    const numbers = queued.flatMap(({ message }) => numbersOf(message));
    expect(numbers).toEqual(Array.from({ length: 120 }, (_, at) => at + 1));
    expect(queued.map(({ message }) => [message['job'], message['metadata']])).toEqual(
      queued.map(() => [{ id: runId, kind: 'crawl' }, { order: 7 }]),
    );
    const crawlUrl = `${API}/crawl/${runId}`;
    expect(queued.map(({ message }) => message.data['results'])).toEqual([
      crawlUrl,
      `${crawlUrl}?limit=50`,
      expect.stringMatching(new RegExp(`^${crawlUrl}\\?limit=50&cursor=[\\w-]{13,}$`)),
      expect.stringMatching(new RegExp(`^${crawlUrl}\\?limit=20&cursor=[\\w-]{13,}$`)),
      crawlUrl,
    ]);
    const following = expect.stringMatching(new RegExp(`^${crawlUrl}\\?limit=25&cursor=[\\w-]{13,}$`));
    expect(queued.map(({ message }) => message.data['next'])).toEqual([crawlUrl, following, following, null, null]);
    expect(queued[4]?.message.data).toMatchObject({
      status: 'done',
      counts: { ok: 120 },
      stop: 'finished',
    });
    const [receiver] = await servers.servers.database.sql<{ secret: Buffer }>(
      'SELECT secret FROM delivery.receivers WHERE id = $1',
      [runId],
    );
    expect(receiver?.secret.includes(SECRET)).toBe(false);
    expect(servers.sealer.open(receiver?.secret ?? Buffer.alloc(0), runId)).toBe(SECRET);
  });

  it('receives nothing twice, however often run.watched is delivered', async () => {
    const { runId, crawl, isOver, watch } = await watched({ run: { done: 50 }, pages: pagesTo(50) });
    await queuedWhen(servers, { runId }, ({ length }) => length === 2);
    crawl.pages = pagesTo(130);
    crawl.run = { status: 'done', stop: 'finished', done: 130 };
    await isOver();
    const queued = await servers.queued({ runId });
    await watch();
    const other = await watched();
    await queuedWhen(servers, other, ({ length }) => length === 1);
    await isOver();
    expect(await servers.queued({ runId })).toEqual(queued);
  });

  it('receives many pages in rotation with other crawls, each once', async () => {
    const many = await watched({
      run: { status: 'done', stop: 'finished', done: 1_234 },
      pages: pagesTo(1_234),
    });
    const queued = await queuedWhen(servers, many, (some) => some.some(({ event }) => event === 'crawl.completed'));
    const numbers = queued.flatMap(({ message }) => numbersOf(message));
    expect(numbers).toEqual(Array.from({ length: 1_234 }, (_, at) => at + 1));
    expect(queued.at(-1)?.event).toBe('crawl.completed');
  });

  it('receives fewer pages after five seconds, and the rest when the crawl ends', async () => {
    servers.clock.stop();
    const { runId, crawl, isOver } = await watched({ run: { done: 3 }, pages: pagesTo(3) });
    await queuedWhen(servers, { runId }, ({ length }) => length === 1);
    servers.clock.move(4_999);
    // Once another crawl is reported, this one was polled again, too.
    await queuedWhen(servers, await watched(), ({ length }) => length === 1);
    expect(await servers.queued({ runId })).toHaveLength(1);
    servers.clock.move(1);
    const [, page] = await queuedWhen(servers, { runId }, ({ length }) => length === 2);
    expect(numbersOf(page?.message)).toEqual([1, 2, 3]);
    crawl.pages = pagesTo(5);
    crawl.run = { status: 'done', done: 5, stop: 'finished' };
    await queuedWhen(servers, { runId }, ({ length }) => length === 3);
    // Nothing is sent here, so that the end waits for earlier messages up to its limit.
    servers.clock.move(700);
    const queued = await queuedWhen(servers, { runId }, ({ length }) => length === 4);
    servers.clock.start();
    expect(numbersOf(queued[2]?.message)).toEqual([4, 5]);
    expect(queued[3]?.event).toBe('crawl.completed');
    await isOver();
  });

  it('receives that a crawl failed, or was cancelled', async () => {
    const failed = await watched({ run: { status: 'error', error: 'the site could not be reached' } });
    const cancelled = await watched({
      run: { status: 'cancelled', stop: 'cancelled', startedAt: undefined },
    });
    const [, end] = await queuedWhen(servers, failed, ({ length }) => length === 2);
    expect(end).toMatchObject({ event: 'crawl.failed', message: { data: { status: 'error' } } });
    const [only] = await queuedWhen(servers, cancelled, ({ length }) => length > 0);
    expect(only).toMatchObject({
      event: 'crawl.failed',
      message: { data: { status: 'cancelled', stop: 'cancelled' } },
    });
  });

  it('receives nothing before the crawl has started', async () => {
    const { runId, crawl } = await watched({ run: { status: 'queued', startedAt: undefined } });
    const other = await watched();
    await queuedWhen(servers, other, ({ length }) => length === 1);
    expect(await servers.queued({ runId })).toEqual([]);
    crawl.run = { status: 'running' };
    await queuedWhen(servers, { runId }, ({ length }) => length === 1);
  });

  it('receives only the subscribed events', async () => {
    const { runId, isOver } = await watched({
      run: { status: 'done', stop: 'finished', done: 3 },
      pages: pagesTo(3),
      events: ['crawl.completed'],
    });
    await queuedWhen(servers, { runId }, ({ length }) => length > 0);
    await isOver();
    expect((await servers.queued({ runId })).map(({ event }) => event)).toEqual(['crawl.completed']);
  });

  it('receives nothing more once the crawl is deleted or belongs to another workspace', async () => {
    const { runId, workspaceId, isOver } = await watched();
    await queuedWhen(servers, { runId }, ({ length }) => length === 1);
    servers.peers.workspaces.set(runId, newWorkspace());
    await isOver();
    expect(workspaceId).not.toBe(servers.peers.workspaces.get(runId));
    expect(await servers.queued({ runId })).toHaveLength(1);
  });

  it('receives each page once from several instances', async () => {
    await servers.start();
    const crawls = await Promise.all(
      Array.from({ length: 8 }, () => watched({ run: { done: 130 }, pages: pagesTo(130) })),
    );
    for (const { crawl } of crawls) crawl.run = { status: 'done', stop: 'finished', done: 130 };
    for (const { runId } of crawls) {
      const queued = await queuedWhen(servers, { runId }, (some) =>
        some.some(({ event }) => event === 'crawl.completed'),
      );
      expect(queued.flatMap(({ message }) => numbersOf(message))).toEqual(
        Array.from({ length: 130 }, (_, at) => at + 1),
      );
    }
  });
});
