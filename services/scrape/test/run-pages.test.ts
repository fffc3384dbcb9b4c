import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { controls, events, newId, work } from '@tidemark/contracts';
import type { PagesInProgress } from '@tidemark/contracts/crawl/v1/control';
import { PageWork } from '@tidemark/contracts/scrape/v1/work';
import { Bus, createLogger } from '@tidemark/service';
import { captureOptions, newWorkspace, until } from '@tidemark/testkit';
import { article, openScrape, type ScrapeServers } from './scrape-servers.ts';

let servers: ScrapeServers;
let bus: Bus;
const requests = new Map<string, number>();
const held = new Map<string, ServerResponse>();
const closed = new Set<string>();
const ended = new Set<string>();
const reports: PagesInProgress[] = [];
/** While true, what ends is not confirmed to scrape. */
let isUnavailable = false;

beforeAll(async () => {
  servers = await openScrape((request, response) => {
    const path = request.url ?? '/';
    if (path === '/robots.txt') return void response.writeHead(404).end();
    requests.set(path, (requests.get(path) ?? 0) + 1);
    response.setHeader('content-type', 'text/html');
    response.on('close', () => closed.add(path));
    if (path.startsWith('/held')) held.set(path, response);
    else response.end(article(path));
  });
  bus = servers.own(await Bus.connect(servers.nats.url, 'crawl', createLogger('test', 'silent')));
  bus.consume(events.runPageEnded, 'crawl', async (batch) => {
    if (isUnavailable) throw new Error('crawl is unavailable');
    for (const { event } of batch) ended.add(event.captureId);
  });
  bus.consume(events.pageCaptured, 'archive', async (batch) => {
    for (const { event } of batch) if (event.row !== undefined) servers.archive.stored.set(event.row.id, event.row);
  });
  bus.control.receive(controls.pagesInProgress, (pages) => void reports.push(pages));
}, 120_000);
afterAll(async () => {
  for (const response of held.values()) response.end();
  await servers.close();
});

/** Offers one page of a run, as often as it is called, each time as another piece of work. */
function pageOf(path: string) {
  const [runId, workspaceId, captureId] = [newId('run'), newWorkspace(), newId('cap')];
  const url = new URL(path, servers.site.origin).href;
  const offer = (isRepeated: boolean) =>
    bus.offer(
      work.page,
      newId('req'),
      PageWork.fromPartial({
        runId,
        workspaceId,
        options: captureOptions(),
        host: servers.site.host,
        concurrency: 4,
        pages: [{ captureId, url, credits: 5, isRepeated }],
      }),
    );
  return { runId, workspaceId, captureId, offer };
}
const outboxOf = (captureId: string) =>
  servers.database.sql('SELECT id FROM scrape.outbox WHERE id = ANY($1)', [
    [`page:${captureId}`, `run-page:${captureId}`],
  ]);
/** Waits until no work is left: a page that is offered after it is taken after it. */
async function idle(): Promise<void> {
  const last = pageOf(`/idle/${newId('req')}`);
  await last.offer(false);
  await until('the last page to end', () => ended.has(last.captureId));
}

describe('a page of a run that is offered again', () => {
  it('is not fetched while the event of its end is unconfirmed', async () => {
    isUnavailable = true;
    const page = pageOf('/unconfirmed');
    await page.offer(false);
    await until('its end to be written', async () => (await outboxOf(page.captureId)).length > 0);
    await page.offer(true);
    isUnavailable = false;
    await until('its end to be confirmed', () => ended.has(page.captureId));
    await idle();
    expect(requests.get('/unconfirmed')).toBe(1);
  });

  it('is not fetched once everything of its end is confirmed: the archive has its row', async () => {
    const page = pageOf('/confirmed');
    await page.offer(false);
    await until(
      'its end to be confirmed',
      async () => ended.has(page.captureId) && (await outboxOf(page.captureId)).length === 0,
    );
    const { length } = servers.archive.listed;
    await page.offer(true);
    await until('a call to the archive', () => servers.archive.listed.length > length);
    await idle();
    expect(requests.get('/confirmed')).toBe(1);
    expect(servers.archive.listed.at(length)).toMatchObject({
      jobId: page.runId,
      workspaceId: page.workspaceId,
      ids: [page.captureId],
    });
  });

  it('is fetched if it has not ended, once the archive is available again', async () => {
    const page = pageOf('/open');
    servers.archive.isUnavailable = true;
    await page.offer(true);
    await idle();
    expect(requests.get('/open')).toBeUndefined();
    servers.archive.isUnavailable = false;
    await until('it to end', () => ended.has(page.captureId));
    expect(requests.get('/open')).toBe(1);
  });

  it('causes no call to the archive where it is offered for the first time', async () => {
    const { length } = servers.archive.listed;
    await idle();
    expect(servers.archive.listed).toHaveLength(length);
  });
});

describe('a page of a run that is being fetched', () => {
  it('is reported when crawl requests it, and aborted when it is cancelled', async () => {
    const page = pageOf('/held/called-off');
    await page.offer(false);
    await until('a request at the site', () => held.has('/held/called-off'));
    bus.control.send(controls.pagesRequested, { runId: page.runId });
    await until('the page to be reported', () =>
      reports.some(({ runId, captureIds }) => runId === page.runId && captureIds.includes(page.captureId)),
    );
    bus.control.send(controls.pagesCalledOff, { runId: newId('run'), pages: { $case: 'all', value: {} } });
    bus.control.send(controls.pagesCalledOff, { runId: page.runId, pages: { $case: 'all', value: {} } });
    await until('the fetch to be aborted', () => closed.has('/held/called-off'));
    await idle();
    expect(await outboxOf(page.captureId)).toEqual([]);
    expect(ended.has(page.captureId)).toBe(false);
  });
});
