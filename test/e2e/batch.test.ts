import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { JobEnvelope } from '@tidemark/api';
import { errorOf } from '../harness/api.ts';
import { sharedFleet } from '../harness/fleet.ts';
import { until } from '../harness/until.ts';
import type { Workspace } from '../harness/workspaces.ts';
import { startWeb } from '../web/server.ts';

const fleet = sharedFleet();
const web = await startWeb();
let workspace: Workspace;

beforeAll(async () => {
  workspace = await fleet.workspaces.make();
});
afterAll(async () => {
  web.open('batch');
  await web.close();
  await fleet.close();
});

const start = (paths: readonly string[], order: Readonly<Record<string, unknown>> = {}) =>
  workspace.writer.scrape({ urls: paths.map((path) => web.url(path)), ...order });

const ended = (id: string): Promise<JobEnvelope> =>
  until(`batch ${id} ends`, async () => {
    const job = await workspace.reader.job(id);
    return job.status !== 'running' && job.status !== 'queued' && job;
  });

/** Returns all rows of a list by following `next`. */
async function everyRow(id: string, limit: number, query = ''): Promise<JobEnvelope['data']> {
  const rows: JobEnvelope['data'] = [];
  let path: string | null = `/scrape/${id}?limit=${limit}${query}`;
  while (path !== null) {
    const body = (await workspace.reader.get(path)).body as JobEnvelope;
    rows.push(...body.data);
    path = body.next === null ? null : body.next.replace(`${fleet.url}/v1`, '');
  }
  return rows;
}

const PATHS = ['/article', '/docs', '/listing', '/product', '/tiny', '/status/404', '/login', '/redirect/301'];

/** Returns the text of an event stream. */
interface Event {
  readonly event: string;
  readonly id: string;
  readonly data: Readonly<Record<string, unknown>>;
}

const eventsOf = (text: string): Event[] =>
  text
    .split('\n\n')
    .filter((block) => block.includes('event: '))
    .map((block) => {
      const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1] ?? '';
      return { event: field('event'), id: field('id'), data: JSON.parse(field('data')) };
    });

describe('a batch', () => {
  test('sets invalid URLs aside, reports duplicates, and lists its rows in the order of its input', async () => {
    const given = ['/docs', '/tiny', '/docs', '/article'].map((path) => web.url(path));
    const urls = ['ftp://site.test/', ...given.slice(0, 2), 'not a URL', ...given.slice(2)];
    const refused = await workspace.writer.post('/scrape', { urls });
    expect(errorOf(refused)).toMatchObject({ status: 422, code: 'validation', fields: ['urls.0', 'urls.3'] });
    const { status, job } = await workspace.writer.scrape({ urls, ignoreInvalid: true });
    expect([status, job.progress.total, job.counts]).toEqual([202, 3, { duplicates: 1 }]);
    expect(job.invalid).toEqual([
      { input: 0, url: 'ftp://site.test/', error: expect.stringContaining('only http and https') },
      { input: 3, url: 'not a URL', error: expect.any(String) },
    ]);
    expect((await ended(job.id)).counts['duplicates']).toBe(1);
    const rows = await everyRow(job.id, 2, '&order=input');
    expect(rows.map(({ askedUrl, inputs }) => [askedUrl, inputs])).toEqual([
      [web.url('/docs'), [1, 4]],
      [web.url('/tiny'), [2]],
      [web.url('/article'), [5]],
    ]);
  });

  test('returns 202 at once and ends with a row for every URL, with its status, verdict and credits', async () => {
    const started = await start(PATHS);
    expect(started.status).toBe(202);
    expect(started.job).toMatchObject({ kind: 'batch', progress: { done: 0, total: 8 }, data: [] });
    expect(started.headers.get('location')).toBe(`${fleet.url}/v1/scrape/${started.job.id}`);
    const job = await ended(started.job.id);
    expect(job).toMatchObject({ status: 'done', progress: { done: 8, total: 8, queued: 0 } });
    const rows = await everyRow(job.id, 3);
    expect(rows.map(({ askedUrl }) => askedUrl).sort()).toEqual(PATHS.map((path) => web.url(path)).sort());
    expect(rows.reduce((sum, { credits }) => sum + credits, 0)).toBe(job.creditsUsed);
    expect(rows.find(({ askedUrl }) => askedUrl === web.url('/status/404'))).toMatchObject({
      httpStatus: 404,
      verdict: 'blocked',
      errorCode: 'NOT_FOUND',
    });
    for (const row of rows.filter(({ verdict }) => verdict === 'ok')) expect(row.markdown).not.toBe('');
    expect(job.counts['ok']).toBe(rows.filter(({ verdict }) => verdict === 'ok').length);
  });

  test('can be read while it runs: `next` is set until every page is listed, and no page is skipped', async () => {
    const paths = Array.from({ length: 12 }, (_, i) => `/article?batch=${i}`);
    const { job } = await start([...paths, '/gate/batch-read']);
    const seen = new Set<string>();
    let path: string | null = `/scrape/${job.id}?limit=5`;
    await until('all but the held page were read', async () => {
      const body = (await workspace.reader.get(path ?? '')).body as JobEnvelope;
      for (const { askedUrl } of body.data) seen.add(askedUrl);
      expect(body.next).not.toBeNull();
      path = (body.next ?? '').replace(`${fleet.url}/v1`, '');
      return seen.size === 12;
    });
    web.open('batch-read');
    await ended(job.id);
    const last = (await workspace.reader.get(path)).body as JobEnvelope;
    expect(last.data.map(({ askedUrl }) => askedUrl)).toEqual([web.url('/gate/batch-read')]);
    expect(last.next).toBeNull();
  });

  test('cancels its unfinished pages when it is cancelled', async () => {
    const { job } = await start(['/tiny', '/gate/batch-cancel', '/gate/batch-cancel-2']);
    await until('the first page to be done', async () => (await workspace.reader.job(job.id)).progress.done === 1);
    const { status, body } = await workspace.writer.delete(`/scrape/${job.id}`);
    expect({ status, body }).toMatchObject({ status: 200, body: { status: 'cancelled', creditsUsed: 1 } });
    web.open('batch-cancel');
    web.open('batch-cancel-2');
    expect((await everyRow(job.id, 100)).map(({ askedUrl }) => askedUrl)).toEqual([web.url('/tiny')]);
  });

  test('streams its pages and its progress, and resumes after a broken connection', async () => {
    const { job } = await start(['/article?stream=1', '/article?stream=2', '/article?stream=3']);
    const whole = await workspace.reader.get(`/scrape/${job.id}/events`);
    expect(whole.headers.get('content-type')).toContain('text/event-stream');
    const events = eventsOf(whole.text);
    const pages = events.filter(({ event }) => event === 'page');
    expect(pages.map(({ id }) => id)).toEqual(['1', '2', '3']);
    expect(pages[0]?.data).toMatchObject({ verdict: 'ok', httpStatus: 200 });
    expect(events.at(-1)).toMatchObject({ event: 'done', data: { status: 'done', progress: { done: 3, total: 3 } } });
    const rest = await workspace.reader.get(`/scrape/${job.id}/events`, { 'last-event-id': '2' });
    expect(eventsOf(rest.text).map(({ event, id }) => `${event} ${id}`)).toEqual(['page 3', 'done ']);
  });

  test('returns the same 202, with the secret, for a request repeated with its Idempotency-Key', async () => {
    const order = { urls: [web.url('/tiny')], webhook_url: 'https://example.com/hook' };
    const headers = { 'idempotency-key': 'batch-once' };
    const first = await workspace.writer.scrape(order, headers);
    const again = await workspace.writer.scrape(order, headers);
    expect(first.job.webhookSecret).toMatch(/^whsec_/);
    expect(again.job).toEqual(first.job);
    expect((await workspace.reader.get(`/scrape/${first.job.id}`)).text).not.toContain('whsec_');
    expect(again.headers.get('idempotent-replayed')).toBe('true');
  });

  test.each([
    ['url and urls together', { url: 'https://example.com/', urls: ['https://example.com/'] }, 400, 'urls'],
    ['neither', {}, 422, 'url'],
    ['no URL', { urls: [] }, 422, 'urls'],
    ['501 URLs', { urls: Array.from({ length: 501 }, (_, i) => `https://example.com/${i}`) }, 422, 'urls'],
    ['a URL that is none', { urls: ['https://example.com/', 'ftp://example.com/'] }, 422, 'urls.1'],
    [
      'a webhook for a single page',
      { url: 'https://example.com/', webhook_url: 'https://a.example/' },
      400,
      'webhook_url',
    ],
    [
      'a webhook inside',
      { urls: ['https://example.com/'], webhook_url: 'http://169.254.169.254/' },
      422,
      'webhook_url',
    ],
  ])('is refused with %s, naming the field', async (_, body, status, field) => {
    const error = errorOf(await workspace.writer.post('/scrape', body));
    expect(error).toMatchObject({ status, code: 'validation' });
    expect(error.fields).toContain(field);
  });

  test('returns 404 for a destination that does not exist', async () => {
    const response = await workspace.writer.post('/scrape', { urls: ['https://example.com/'], destination: 'dst_1' });
    expect(errorOf(response)).toMatchObject({ status: 404, code: 'not_found' });
  });
});
