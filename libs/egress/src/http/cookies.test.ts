import { afterEach, describe, expect, it } from '@jest/globals';
import { SITE_ADDRESS, startSite } from '../../test/loopback-site.ts';
import { parseAllowList } from '../policy/allow-list.ts';
import { createGuard } from '../policy/guard.ts';
import { type CookieJar, createHttpClient } from './http-client.ts';

const opened: { close(): unknown }[] = [];
afterEach(async () => {
  for (const resource of opened.splice(0).reverse()) await resource.close();
});

function clientOf() {
  const client = createHttpClient(createGuard({ allow: parseAllowList(SITE_ADDRESS) }));
  opened.push(client);
  return client;
}

describe('HttpClient.fetch with a cookie jar', () => {
  it('reads and stores cookies at every hop, and follows a redirect to the same URL after a cookie was set', async () => {
    const site = await startSite((request, response) => {
      if (request.headers.cookie === undefined)
        response.writeHead(302, { location: '/a', 'set-cookie': ['s=1', 't=2'] }).end();
      else response.end(request.headers.cookie);
    });
    opened.push(site);
    const stored: string[] = [];
    const jar: CookieJar = {
      header: () => (stored.length === 0 ? undefined : stored.join('; ')),
      store: (_url, setCookie) => stored.push(...setCookie),
    };
    const response = await clientOf().fetch(`${site.origin}/a`, {
      cookies: jar,
      headers: { accept: 'text/html' },
    });
    expect([response.body.toString(), response.redirects]).toEqual(['s=1; t=2', [`${site.origin}/a`]]);
  });

  it('passes the URL of each hop to the jar, which decides on cookies for other origins', async () => {
    const second = await startSite((request, response) => response.end(request.headers.cookie), '127.0.0.3');
    const first = await startSite((_request, response) => response.writeHead(302, { location: second.origin }).end());
    opened.push(first, second);
    const jar: CookieJar = { header: (url) => `at=${new URL(url).hostname}`, store: () => {} };
    const client = createHttpClient(createGuard({ allow: parseAllowList(`${SITE_ADDRESS},127.0.0.3`) }));
    opened.push(client);
    expect((await client.fetch(first.origin, { cookies: jar })).body.toString()).toBe('at=127.0.0.3');
    expect(first.requests[0]?.headers.cookie).toBe('at=127.0.0.2');
  });

  it('sends nothing if the jar returns a line break', async () => {
    const site = await startSite((_request, response) => response.end());
    opened.push(site);
    const jar: CookieJar = { header: () => 'a=1\r\nx-evil: 1', store: () => {} };
    await expect(clientOf().fetch(site.origin, { cookies: jar })).rejects.toMatchObject({ kind: 'protocol' });
    expect(site.requests).toEqual([]);
  });
});
