import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { asList, asObject, asText } from '@tidemark/api';
import { sharedFleet } from '../harness/fleet.ts';
import { until } from '../harness/until.ts';
import { type HarbourSite, startHarbour } from './harbour-site.ts';

const fleet = sharedFleet();
let site: HarbourSite;
let key = '';
let stranger = '';

beforeAll(async () => {
  site = await startHarbour('127.0.0.5');
  key = (await fleet.workspaces.make()).admin.key;
  stranger = (await fleet.workspaces.make()).admin.key;
});
afterAll(async () => {
  site.close();
  await fleet.close();
});

type Fields = Readonly<Record<string, unknown>>;

/** Sends a request to the interface of Firecrawl, as its SDK does. */
async function send(method: string, path: string, body?: object, as = key): Promise<{ status: number; body: Fields }> {
  const response = await fetch(`${fleet.url}/firecrawl/v2/monitor${path}`, {
    method,
    headers: { authorization: `Bearer ${as}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: asObject(await response.json()) };
}

/** Returns `data` of a successful response. */
async function data(method: string, path: string, body?: object): Promise<Fields> {
  const response = await send(method, path, body);
  expect({ path, ...response, error: response.body['error'] }).toMatchObject({ status: 200, error: undefined });
  return asObject(response.body['data']);
}

/** Runs a check and returns it once it has ended. */
async function checked(id: string): Promise<Fields> {
  const check = asText((await data('POST', `/${id}/run`, {}))['id']);
  return until(`the check ${check} has ended`, async () => {
    const found = await data('GET', `/${id}/checks/${check}`);
    return found['status'] === 'completed' && found;
  });
}

const ID = expect.stringMatching(/^\w{4,}/);
const byUrl = (one: unknown, other: unknown): number =>
  asText(asObject(one)['url']).localeCompare(asText(asObject(other)['url']));

describe('the monitors of Firecrawl', () => {
  test('come with a number of concurrent pages, with which clients compare and which they print', async () => {
    for (const path of ['/team/queue-status', '/concurrency-check']) {
      const response = await fetch(`${fleet.url}/firecrawl/v2${path}`, { headers: { authorization: `Bearer ${key}` } });
      expect(asObject(await response.json())['maxConcurrency']).toEqual(100);
    }
  });

  test('are projects: they are created, run, compared, listed, changed, paused and deleted', async () => {
    const urls = ['/prices', '/marees'].map((path) => `${site.origin}${path}`);
    const created = await data('POST', '', {
      name: 'Prices',
      schedule: { text: 'daily at 9:00', timezone: 'Europe/Berlin' },
      targets: [{ type: 'scrape', urls, scrapeOptions: { formats: ['markdown'] } }],
      retentionDays: 30,
    });
    expect(created).toMatchObject({
      name: 'Prices',
      status: 'active',
      retentionDays: 30,
      webhook: null,
      goal: null,
      schedule: { cron: '0 9 * * *', timezone: 'Europe/Berlin' },
      targets: [{ type: 'scrape', urls }],
    });
    const id = asText(created['id']);
    expect(await data('GET', `/${id}`)).toMatchObject({ id, name: 'Prices' });

    const first = await checked(id);
    const allNew = { totalPages: 2, new: 2, same: 0, changed: 0, removed: 0, error: 0 };
    expect(first).toMatchObject({ monitorId: id, trigger: 'manual', summary: allNew, next: null });
    const page = { status: 'new', statusCode: 200, previousScrapeId: null, currentScrapeId: ID, error: null };
    expect(asList(first['pages']).toSorted(byUrl)).toMatchObject(urls.toSorted().map((url) => ({ ...page, url })));
    const firstPath = `/${id}/checks/${asText(first['id'])}`;
    expect(await data('GET', `${firstPath}?status=error`)).toMatchObject({ pages: [] });
    const part = await data('GET', `${firstPath}?limit=1`);
    expect(asList(part['pages'])).toHaveLength(1);
    const rest = await data('GET', asText(part['next']).split('/monitor')[1] ?? '');
    expect([...asList(part['pages']), ...asList(rest['pages'])].toSorted(byUrl)).toEqual(
      asList(first['pages']).toSorted(byUrl),
    );
    site.fee = 15;
    const second = await checked(id);
    expect(second).toMatchObject({ summary: { changed: 1, same: 1, new: 0, removed: 0, error: 0 }, next: null });
    expect(second['pages']).toMatchObject([
      {
        url: urls[0],
        status: 'changed',
        statusCode: 200,
        previousScrapeId: asList(first['pages'])
          .map(asObject)
          .find(({ url }) => url === urls[0])?.['currentScrapeId'],
        currentScrapeId: ID,
        diff: { text: expect.stringMatching(/-.*12[\s\S]*\+.*15/) },
      },
    ]);
    const path = `/${id}/checks/${asText(second['id'])}`;
    expect(await data('GET', `${path}?status=removed`)).toMatchObject({ pages: [] });
    const { body } = await send('GET', `/${id}/checks?limit=1`);
    expect(asList(body['data'])).toMatchObject([{ id: second['id'], status: 'completed', summary: { changed: 1 } }]);
    const earlier = asList((await send('GET', `/${id}/checks?offset=1`)).body['data']);
    expect(earlier).toMatchObject([{ id: first['id'], summary: allNew }]);
    expect(asList((await send('GET', `/${id}/checks?offset=2`)).body['data'])).toEqual([]);

    expect(await data('PATCH', `/${id}`, { name: 'Fees', status: 'paused' })).toMatchObject({
      name: 'Fees',
      status: 'paused',
      nextRunAt: null,
    });
    expect(asList((await send('GET', '')).body['data'])).toMatchObject([{ id, name: 'Fees' }]);
    expect((await send('DELETE', `/${id}`)).body).toEqual({ success: true });
    expect((await send('GET', `/${id}`)).status).toBe(404);
  });

  test('with a goal require a model of the workspace, and name the fields that they refuse', async () => {
    const monitor = {
      name: 'A',
      schedule: { cron: '0 9 * * *' },
      targets: [{ type: 'crawl', url: `${site.origin}/`, crawlOptions: { limit: 3 } }],
    };
    const withGoal = await send('POST', '', { ...monitor, goal: 'Prices' });
    expect(withGoal).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining('goal requires a language') },
    });
    const wrong = await send('POST', '', { ...monitor, retentionDays: -1, schedule: { cron: 'never' } });
    expect(wrong.status).toBe(400);
    expect(wrong.body['error']).toMatch(/retentionDays/);
    expect((await send('GET', '?page=2')).body).toMatchObject({ code: 'UNSUPPORTED_OPTION' });
  });

  test('of another workspace do not exist', async () => {
    const monitor = { name: 'A', schedule: { text: 'hourly' }, targets: [{ type: 'crawl', url: `${site.origin}/` }] };
    const id = asText((await data('POST', '', monitor))['id']);
    for (const [method, path] of [
      ['GET', ''],
      ['PATCH', ''],
      ['DELETE', ''],
      ['POST', '/run'],
      ['GET', '/checks'],
      ['GET', '/checks/run_01j5xq2w8se6fa7t0a6q1n3k2m'],
    ] as const) {
      const body = method === 'GET' || method === 'DELETE' ? undefined : {};
      expect({ method, path, status: (await send(method, `/${id}${path}`, body, stranger)).status }).toEqual({
        method,
        path,
        status: 404,
      });
    }
  });
});
