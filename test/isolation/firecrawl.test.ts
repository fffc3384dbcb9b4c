import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { asList, asObject, asText } from '@tidemark/api';
import { sharedFleet } from '../harness/fleet.ts';
import { NO_PROJECT } from '../harness/paths.ts';
import type { Workspace } from '../harness/workspaces.ts';
import { startWeb } from '../web/server.ts';

const fleet = sharedFleet();
const web = await startWeb();
let mine: Workspace;
let other: Workspace;
/** A crawl of `mine` that waits for its first page. */
let crawl: string;

/** Sends a request to the interface of Firecrawl. */
async function send(key: string, [method, path]: readonly [string, string], body?: unknown) {
  const response = await fetch(`${fleet.url}/firecrawl/v2${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, headers: response.headers, body: asObject(await response.json()) };
}

const activeIds = async (key: string) => {
  const { body } = await send(key, ['GET', '/crawl/active']);
  return asList(body['crawls']).map((each) => asObject(each)['id']);
};

beforeAll(async () => {
  [mine, other] = await Promise.all([fleet.workspaces.make(), fleet.workspaces.make()]);
  const body = { url: web.url('/gate/firecrawl'), limit: 1, sitemap: 'skip' };
  crawl = asText((await send(mine.writer.key, ['POST', '/crawl'], body)).body['id']);
});
afterAll(async () => {
  web.open('firecrawl');
  await web.close();
  await fleet.close();
});

describe('the interface of Firecrawl', () => {
  test.each([
    ['GET', ''],
    ['GET', '/errors'],
    ['DELETE', ''],
  ])('answers 404 to %s of a crawl of another workspace%s', async (method, end) => {
    const { status, body } = await send(other.admin.key, [method, `/crawl/${crawl}${end}`]);
    expect({ status, code: body['code'] }).toEqual({ status: 404, code: 'NOT_FOUND' });
  });

  test('lists the crawls of the own workspace only', async () => {
    expect(await activeIds(other.reader.key)).toEqual([]);
    expect(await activeIds(mine.reader.key)).toEqual([crawl]);
  });

  test('does not attach a request to the running scrape of another workspace', async () => {
    const request = { url: web.url('/gate/firecrawl-scrape'), timeout: 1_000 };
    const [first, second] = await Promise.all(
      [mine, other].map(({ writer }) => send(writer.key, ['POST', '/scrape'], request)),
    );
    expect([first?.status, second?.status]).toEqual([408, 408]);
    expect(web.hits('/gate/firecrawl-scrape')).toHaveLength(2);
    web.open('firecrawl-scrape');
  });

  test('refuses a key without the scope of the route', async () => {
    const { status, body } = await send(mine.reader.key, ['POST', '/scrape'], { url: web.url('/article') });
    expect({ status, code: body['code'] }).toEqual({ status: 403, code: 'SCOPES' });
  });

  test('gives a key that is restricted to projects what the routes of the service give it', async () => {
    const restricted = await fleet.workspaces.key(mine.id, { scopes: ['admin'], projects: [NO_PROJECT] });
    const natives = await Promise.all(['/me', '/me/usage', '/me/monitor'].map((path) => restricted.get(path)));
    const paths = ['/team/credit-usage', '/team/credit-usage/historical', '/team/queue-status'];
    const responses = await Promise.all(paths.map((path) => send(restricted.key, ['GET', path])));
    expect(responses.map(({ status }) => status)).toEqual(natives.map(({ status }) => status));
  });

  test('counts each request once in the window of its key, with the requests of other routes', async () => {
    const limited = await fleet.workspaces.key(mine.id, { scopes: ['write'], rpm: 3 });
    const paths: readonly (readonly [string, string])[] = [
      ['GET', '/team/credit-usage'],
      ['GET', `/crawl/${crawl}/errors`],
    ];
    for (const path of paths) expect((await send(limited.key, path)).status).toBe(200);
    expect((await limited.get('/me')).status).toBe(200);
    const refused = await send(limited.key, ['POST', '/scrape'], { url: web.url('/article') });
    expect({ status: refused.status, code: refused.body['code'] }).toEqual({ status: 429, code: 'RATE_LIMITED' });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    // A client that waits for a job gives up at a 429 and tries again at a 503.
    const polling = await send(limited.key, ['GET', `/crawl/${crawl}`]);
    expect({ status: polling.status, code: polling.body['code'] }).toEqual({ status: 503, code: 'RATE_LIMITED' });
    expect(Number(polling.headers.get('retry-after'))).toBeGreaterThan(0);
  });
});
