import { afterAll, beforeAll, expect, test } from '@jest/globals';
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
  await web.close();
  await fleet.close();
});

const keyed = (key: string) => ({ 'idempotency-key': key });
const order = (path: string, over: object = {}) => ({ url: web.url(path), ...over });

test('a repeated request returns the first status, body and cost, is marked as a replay, and fetches nothing', async () => {
  const body = order('/article?replayed');
  const first = await workspace.writer.scrape(body, keyed('replayed'));
  const hits = web.hits('/article').length;
  const second = await workspace.writer.scrape(body, keyed('replayed'));
  expect([second.status, second.body]).toEqual([first.status, first.body]);
  expect([first.headers.get('idempotent-replayed'), second.headers.get('idempotent-replayed')]).toEqual([null, 'true']);
  expect(second.headers.get('x-service-credits')).toBe(first.headers.get('x-service-credits'));
  expect(web.hits('/article').length).toBe(hits);
});

test('a body with the same keys in another order is the same body', async () => {
  const url = web.url('/tiny');
  const first = await workspace.writer.post('/scrape', JSON.stringify({ url, timeout: 30 }), keyed('order'));
  const second = await workspace.writer.post('/scrape', JSON.stringify({ timeout: 30, url }), keyed('order'));
  expect([first.status, second.status]).toEqual([200, 200]);
  expect(second.body).toEqual(first.body);
});

test('a first response of 202 is repeated as 202 after the page is done', async () => {
  const body = order('/gate/replayed-202', { timeout: 1 });
  const first = await workspace.writer.scrape(body, keyed('pending'));
  expect(first.status).toBe(202);
  expect(await workspace.writer.scrape(body, keyed('pending'))).toMatchObject({ status: 202, body: first.body });
  web.open('replayed-202');
  await until('the page', async () => (await workspace.reader.job(first.job.id)).status === 'done');
  const late = await workspace.writer.scrape(body, keyed('pending'));
  expect([late.status, late.body, late.headers.get('idempotent-replayed')]).toEqual([202, first.body, 'true']);
  expect(late.headers.get('location')).toBe(first.headers.get('location'));
});

test('another body under the same key is rejected with 409 and starts nothing', async () => {
  await workspace.writer.scrape(order('/tiny'), keyed('conflict'));
  const hits = web.hits('/product').length;
  const response = await workspace.writer.post('/scrape', order('/product'), keyed('conflict'));
  expect(errorOf(response)).toMatchObject({ status: 409, code: 'conflict' });
  expect(web.hits('/product').length).toBe(hits);
});

test('fifty concurrent requests create one job, one fetch and one charge, and get the same response', async () => {
  const crowd = await fleet.workspaces.make();
  const body = order('/article?crowd');
  const hits = web.hits('/article').length;
  const responses = await Promise.all(Array.from({ length: 50 }, () => crowd.writer.scrape(body, keyed('crowd'))));
  expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
  expect(new Set(responses.map(({ text }) => text)).size).toBe(1);
  expect(responses.filter(({ headers }) => headers.get('idempotent-replayed') === null).length).toBe(1);
  expect(web.hits('/article').length).toBe(hits + 1);

  await until('the charge', async () => (await crowd.reader.credits()).remaining === 999);
  const [{ count } = { count: '' }] = await fleet.sql<{ count: string }>(
    'SELECT count(*) FROM scrape.jobs WHERE workspace_id = $1',
    [crowd.id],
  );
  expect(count).toBe('1');
  expect(await crowd.reader.credits()).toEqual({ remaining: 999, reserved: 0, usedThisMonth: 1 });
});

test('a key is scoped to its workspace: the same key in another workspace is another request', async () => {
  const other = await fleet.workspaces.make();
  const body = order('/tiny');
  const mine = await workspace.writer.scrape(body, keyed('shared'));
  const foreign = await other.writer.scrape(body, keyed('shared'));
  expect(foreign.job.id).not.toBe(mine.job.id);
  expect(foreign.headers.get('idempotent-replayed')).toBeNull();
});

test('a rejected request does not use its key', async () => {
  const wrong = await workspace.writer.post('/scrape', { url: 'http://127.0.0.1/' }, keyed('refused'));
  expect(wrong.status).toBe(422);
  expect((await workspace.writer.scrape(order('/tiny'), keyed('refused'))).status).toBe(200);
});

test('the same request sent twice without a key creates two jobs', async () => {
  const jobs = [await workspace.writer.scrape(order('/tiny')), await workspace.writer.scrape(order('/tiny'))];
  expect(jobs[0]?.job.id).not.toBe(jobs[1]?.job.id);
});
