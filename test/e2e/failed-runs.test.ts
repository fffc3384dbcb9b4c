import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ChangeRecord, CrawlEnvelope, Project, RunEnvelope } from '@tidemark/api';
import type { ApiResponse } from '../harness/api.ts';
import { recordOf } from '../harness/changes.ts';
import { sharedFleet } from '../harness/fleet.ts';
import { listPages, makeProject, readProject, readRun, runToEnd, startRun } from '../harness/projects.ts';
import { until } from '../harness/until.ts';
import { startReceiver, type WebhookReceiver } from '../harness/webhook-receiver.ts';
import type { Workspace } from '../harness/workspaces.ts';

const ADDRESS = '127.0.0.6';
const WORDS = 'the tide came in over the marsh and the gauge at the pier read higher than it had all winter '.repeat(6);
const PATHS = ['/', '/berths', '/ledger', '/ropes'];

/** How a site answers: as usual, never, with a status, or with robots.txt that disallows everything. */
type Mode = 'up' | 'down' | 500 | 403 | 'robots';

interface Site {
  readonly origin: string;
  mode: Mode;
  /** The sentence on the page of the berths. */
  berths: string;
  /** Pages whose response waits for the gate. */
  held: readonly string[];
  gate: PromiseWithResolvers<void>;
}

const fleet = sharedFleet();
const servers: Server[] = [];
let workspace: Workspace;
let receiver: WebhookReceiver;

const page = (title: string, text: string, links: readonly string[] = []): string =>
  `<!doctype html><html lang="en"><head><title>${title}</title></head><body><main><h1>${title}</h1><p>${text}</p><p>${WORDS}</p>` +
  `${links.map((link) => `<p><a href="${link}">to ${link}</a></p>`).join('')}</main></body></html>`;

function htmlOf({ berths }: Site, path: string): string {
  const text = path === '/berths' ? berths : `The page ${path} is kept in the old tower.`;
  return page(`Page ${path}`, text, path === '/' ? PATHS : []);
}

function responseOf(site: Site): RequestListener {
  return (request, response) => {
    const path = request.url ?? '/';
    const { mode } = site;
    if (mode === 'down') return void request.socket.destroy();
    if (path === '/robots.txt')
      return void (mode === 'robots' ? response.end('User-agent: *\nDisallow: /\n') : response.writeHead(404).end());
    if (typeof mode === 'number')
      return void response.writeHead(mode, { 'content-type': 'text/html' }).end('<h1>No</h1>');
    if (!PATHS.includes(path)) return void response.writeHead(404).end();
    const html = htmlOf(site, path);
    const respond = () => response.setHeader('content-type', 'text/html; charset=utf-8').end(html);
    if (site.held.includes(path)) void site.gate.promise.then(respond);
    else respond();
  };
}

async function openSite(mode: Mode = 'up'): Promise<Site> {
  const site = {
    origin: '',
    mode,
    berths: 'Berths are let by the night.',
    held: [],
    gate: Promise.withResolvers<void>(),
  };
  const server = createServer(responseOf(site));
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, ADDRESS, resolve));
  site.origin = `http://${ADDRESS}:${(server.address() as AddressInfo).port}`;
  return site;
}

beforeAll(async () => {
  workspace = await fleet.workspaces.make();
  receiver = await startReceiver(ADDRESS);
});
afterAll(async () => {
  for (const server of servers) server.close().closeAllConnections();
  receiver?.close();
  await fleet.close();
});

const projectOf = (site: Site, hook = ''): Promise<Project> =>
  makeProject(workspace.writer, {
    seed: `${site.origin}/`,
    config: { use_sitemap: false, ...(hook === '' ? {} : { webhook_url: `${receiver.origin}/${hook}` }) },
  });

/** Waits for the end of a run, however it ends. */
const endOf = (run: RunEnvelope): Promise<RunEnvelope> =>
  until(
    `run ${run.id} to end`,
    async () => {
      const now = await readRun(workspace.reader, run);
      return now.status !== 'queued' && now.status !== 'running' && now;
    },
    { withinMs: 120_000 },
  );
const runOf = async ({ id }: Project): Promise<RunEnvelope> => endOf(await startRun(workspace.writer, id));

interface Message {
  readonly event: string;
  readonly data: { readonly status?: string; readonly stop?: string; readonly error?: string | null };
}
const messagesTo = (hook: string): Message[] =>
  receiver.received.filter(({ path }) => path === `/${hook}`).map(({ raw }): Message => JSON.parse(raw));
const eventsTo = (hook: string): string[] => messagesTo(hook).map(({ event }) => event);

function expectOk({ status, text }: ApiResponse): void {
  if (status !== 200) throw new Error(`expected 200, got ${status} ${text}`);
}

/** Expects that every response about the present state of a project is that of a run. */
async function expectPresent(site: Site, { id }: Project, runId: string): Promise<void> {
  const api = workspace.reader;
  const pages = await listPages(api, id, '?limit=100');
  expect([pages.runId, pages.data.map(({ url }) => new URL(url).pathname).sort()]).toEqual([runId, PATHS]);

  const content = await api.get(
    `/projects/${id}/pages/content?url=${encodeURIComponent(`${site.origin}/`)}&format=links`,
  );
  expectOk(content);
  expect(content.body).toMatchObject({
    runId,
    verdict: 'ok',
    links: expect.arrayContaining([expect.objectContaining({ url: `${site.origin}/berths` })]),
  });

  const found = await workspace.reader.post(`/projects/${id}/pages/search`, { q: '"old tower"' });
  expectOk(found);
  expect(found.body).toMatchObject({ runId, total: 4 });

  const selectors = await workspace.writer.post(`/projects/${id}/selectors/match`, { selectors: ['h1'] });
  expectOk(selectors);
  expect(selectors.body).toMatchObject({ runId });

  for (const [dataset, text] of [
    ['pages', '/ropes'],
    ['markdown', 'Page /ropes'],
    ['llms', 'Page /ropes'],
  ] as const) {
    const file = await api.get(`/projects/${id}/export?dataset=${dataset}`);
    expectOk(file);
    expect([dataset, file.headers.get('export-run'), file.text.includes(text)]).toEqual([dataset, runId, true]);
  }
}

describe.each([
  ['gives no response', 'down', 'site_down'],
  ['answers 500 everywhere', 500, 'site_down'],
  ['answers 403 everywhere', 403, 'refused'],
] as const)('a run of a project whose site %s', (_, mode, stop) => {
  const hook = `failed-${mode}`;
  let site: Site;
  let project: Project;
  let first: RunEnvelope;
  let failed: RunEnvelope;
  beforeAll(async () => {
    site = await openSite();
    project = await projectOf(site, hook);
    first = await runToEnd(workspace.writer, project.id);
    await recordOf(workspace.reader, project.id, first.id);
    site.mode = mode;
    failed = await runOf(project);
  }, 180_000);

  test(`ends with status error and stop ${stop}, and states why`, async () => {
    expect(failed).toMatchObject({
      status: 'error',
      stop,
      error: expect.stringMatching(/^no page could be read: the site /),
    });
    expect(await listPages(workspace.reader, project.id, `?run_id=${failed.id}`)).toMatchObject({
      data: [{ verdict: 'blocked' }],
    });
  });

  test('leaves the present state that of the run before it, and every response names that run', async () => {
    await recordOf(workspace.reader, project.id, failed.id);
    await expectPresent(site, project, first.id);
  });

  test('has a record that is no verdict, and is not the record that is shown by default', async () => {
    const record = await recordOf(workspace.reader, project.id, failed.id);
    expect(record).toMatchObject({ baseline: first.id, coverage: { verdict: false, known: 4, read: 0, unread: 4 } });
    expect(record.coverage?.reasons).toContain('nothing_read');
    const { body } = await workspace.reader.get(`/projects/${project.id}/changes`);
    expect(body).toMatchObject({ runId: first.id });
  });

  test('states that its link graph is no verdict', async () => {
    const { body } = await workspace.reader.get(`/projects/${project.id}/runs/${failed.id}/links`);
    expect(body).toMatchObject({ runId: failed.id, coverage: { verdict: false, why: failed.error } });
  });

  test('makes the project failing and sends run.finished with status error and site.failing, and nothing about pages', async () => {
    const now = await until('the health of the project', async () => {
      const read = await readProject(workspace.reader, project.id);
      return read.health === 'failing' && read;
    });
    expect(now.lastRun).toMatchObject({ id: failed.id, status: 'error', stop, error: failed.error });
    const ended = await until('run.finished of the failed run', () =>
      messagesTo(hook).find(({ event, data }) => event === 'run.finished' && data.status === 'error'),
    );
    expect(ended.data).toMatchObject({ stop, error: failed.error });
    await until('site.failing', () => eventsTo(hook).includes('site.failing'));
    expect(eventsTo(hook).filter((event) => event.startsWith('page.'))).toEqual([]);
  });

  test('is no baseline: the next run is compared with the run before it, and the site has recovered', async () => {
    site.mode = 'up';
    site.berths = 'Berths are let by the week.';
    const next = await runToEnd(workspace.writer, project.id);
    const record = await recordOf(workspace.reader, project.id, next.id);
    expect(record).toMatchObject({
      baseline: first.id,
      counts: { modified: 1, same: 3 },
      coverage: { known: 4, read: 4 },
    });
    expect(record.entries).toMatchObject([{ kind: 'modified', url: `${site.origin}/berths`, baselineRunId: null }]);
    await until('site.recovered', () => eventsTo(hook).includes('site.recovered'));
    await expectPresent(site, project, next.id);
  }, 120_000);
});

describe('a first run of a project whose robots.txt disallows everything', () => {
  test('ends with status error and stop robots, and the project has no present state', async () => {
    const site = await openSite('robots');
    const project = await projectOf(site);
    const run = await runOf(project);
    expect(run).toMatchObject({
      status: 'error',
      stop: 'robots',
      error: 'no page could be read: robots.txt disallows 1 page',
    });
    expect(await listPages(workspace.reader, project.id)).toMatchObject({ data: [], runId: null });
    expect((await workspace.reader.get(`/projects/${project.id}/export?dataset=llms`)).status).toBe(404);
  }, 120_000);
});

describe('a run of which some pages could be read', () => {
  test('ends as done with its coverage and becomes the present state', async () => {
    const site = await openSite();
    const project = await projectOf(site);
    await runToEnd(workspace.writer, project.id);
    // The home page is answered, then the site fails.
    const home = until('the home page to be requested', () => site.mode === 'up');
    site.held = PATHS.slice(1);
    const started = await startRun(workspace.writer, project.id);
    await home;
    await until('the home page to be read', async () => (await readRun(workspace.reader, started)).progress.done >= 1);
    site.mode = 500;
    site.held = [];
    for (const server of servers) server.closeAllConnections();
    site.gate.resolve();
    const run = await endOf(started);
    expect(run).toMatchObject({ status: 'done', error: null });
    const record = await recordOf(workspace.reader, project.id, run.id);
    expect(record.coverage).toMatchObject({ verdict: false, known: 4, read: 1, unread: 3 });
    expect((await listPages(workspace.reader, project.id)).runId).toBe(run.id);
  }, 180_000);
});

describe('a cancelled run that read some pages', () => {
  let site: Site;
  let project: Project;
  let first: RunEnvelope;
  let cancelled: RunEnvelope;
  beforeAll(async () => {
    site = await openSite();
    project = await projectOf(site);
    first = await runToEnd(workspace.writer, project.id);
    site.berths = 'Berths are let by the month.';
    site.held = ['/ropes'];
    const started = await startRun(workspace.writer, project.id);
    await until('three pages to be read', async () => (await readRun(workspace.reader, started)).progress.done >= 3);
    await workspace.writer.post(`/projects/${project.id}/runs/${started.id}/cancel`, {});
    cancelled = await endOf(started);
    site.held = [];
    site.gate.resolve();
  }, 120_000);

  test('does not become the present state', async () => {
    expect(cancelled).toMatchObject({ status: 'cancelled', stop: 'cancelled' });
    await recordOf(workspace.reader, project.id, cancelled.id);
    await expectPresent(site, project, first.id);
  });

  test('is no baseline: the next record names the run before it, with which its entries were compared', async () => {
    const partial: ChangeRecord = await recordOf(workspace.reader, project.id, cancelled.id);
    expect(partial.baseline).toBe(first.id);
    const next = await runToEnd(workspace.writer, project.id);
    const record = await recordOf(workspace.reader, project.id, next.id);
    expect(record).toMatchObject({ baseline: first.id, counts: { modified: 1, same: 3 } });
    expect(record.entries).toMatchObject([{ url: `${site.origin}/berths`, baselineRunId: null }]);
    const query = `url=${encodeURIComponent(`${site.origin}/berths`)}`;
    const { body } = await workspace.reader.get(`/projects/${project.id}/changes/page?${query}`);
    expect(body).toMatchObject({
      before: { runId: first.id },
      after: { runId: next.id },
      wordsAdded: 1,
      wordsRemoved: 1,
    });
  }, 120_000);
});

describe('a crawl of which no page could be read', () => {
  test('ends with status error and sends crawl.failed, not crawl.completed', async () => {
    const site = await openSite('down');
    const { body } = await workspace.writer.post('/crawl', {
      url: `${site.origin}/`,
      useSitemap: false,
      webhook: { url: `${receiver.origin}/crawl-down` },
    });
    const { id } = body as CrawlEnvelope;
    const failed = await until('crawl.failed', () =>
      messagesTo('crawl-down').find(({ event }) => event === 'crawl.failed' || event === 'crawl.completed'),
    );
    expect(failed).toMatchObject({ event: 'crawl.failed', data: { id, status: 'error', stop: 'site_down' } });
    const { body: crawl } = await workspace.reader.get(`/crawl/${id}`);
    expect(crawl).toMatchObject({ status: 'error', stop: 'site_down', creditsUsed: 0 });
  }, 120_000);
});

describe('a map of a site that does not respond', () => {
  test('ends with status error and stop site_down', async () => {
    const site = await openSite('down');
    const { status, body } = await workspace.writer.post('/map', { url: `${site.origin}/` });
    expect([status, body]).toMatchObject([200, { status: 'error', stop: 'site_down', creditsUsed: 0, data: [] }]);
  });
});

test('GET /meta explains every stop reason', async () => {
  const { body } = await workspace.reader.get('/meta');
  expect(body).toMatchObject({
    stopReasons: { site_down: expect.any(String), refused: expect.any(String), robots: expect.any(String) },
    coverageReasons: { nothing_read: 'no page could be read' },
  });
});
