import { afterEach, describe, expect, it } from '@jest/globals';
import { buildConnector } from 'undici';
import { failureOf, fakeResolver, type LoopbackSite, SITE_ADDRESS, startSite } from '../../test/loopback-site.ts';
import { EgressRefused } from '../errors/errors.ts';
import { parseAllowList } from '../policy/allow-list.ts';
import { createGuard } from '../policy/guard.ts';
import { createHttpClient } from './http-client.ts';

const opened: { close(): unknown }[] = [];
afterEach(async () => {
  for (const resource of opened.splice(0).reverse()) await resource.close();
});

/** A client that may reach these sites only, and the addresses it has dialled. */
function clientOf(...sites: LoopbackSite[]) {
  const dialled: string[] = [];
  const connect = buildConnector({ allowH2: false });
  const allow = parseAllowList(sites.map(({ origin }) => new URL(origin).host).join(','));
  const guard = createGuard({ allow, resolve: fakeResolver({ 'inner.example': ['10.0.0.1'] }).resolve });
  const client = createHttpClient(guard, {
    dial: (target, callback) => {
      dialled.push(`${target.hostname}:${target.port}`);
      connect(target, callback);
    },
  });
  opened.push(client);
  return { client, dialled };
}

/** A site that redirects by its path, /<status>?<target>, and otherwise responds with the received request as JSON. */
async function redirector(address = SITE_ADDRESS): Promise<LoopbackSite> {
  const site = await startSite((request, response) => {
    const url = new URL(request.url ?? '', 'http://x');
    const status = Number(url.pathname.slice(1, 4));
    if (status >= 300 && status < 400) {
      response.writeHead(status, { location: decodeURIComponent(url.search.slice(1)) }).end('moved');
      return;
    }
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => response.end(JSON.stringify({ method: request.method, headers: request.headers, body })));
  }, address);
  opened.push(site);
  return site;
}

const via = (site: LoopbackSite, status: number, target: string) =>
  `${site.origin}/${status}?${encodeURIComponent(target)}`;

const BAD_TARGETS = [
  'http://127.0.0.1/',
  'http://2130706433/',
  'http://0x7f.1/',
  'http://0177.0.0.1/',
  'http://127.1/',
  'http://0/',
  'http://[::]/',
  'http://[::1]/',
  'http://[::ffff:127.0.0.1]/',
  'http://[64:ff9b::7f00:1]/',
  'http://[2002:7f00:1::]/',
  'http://169.254.169.254/latest/meta-data/',
  'http://metadata.google.internal/',
  'http://[fd00:ec2::254]/',
  'http://100.100.100.200/',
  'http://168.63.129.16/',
  'http://localhost./',
  'http://kubernetes.default.svc/',
  'http://inner.example/',
  '//127.0.0.1/',
  'https://127.0.0.1/',
  'http://127.0.0.1:22/',
  'http://8.8.8.8:25/',
  'file:///etc/passwd',
  'ftp://8.8.8.8/',
  'gopher://127.0.0.1:6379/_x',
  'data:text/html,x',
  'javascript:alert(1)',
];

describe('HttpClient.fetch with redirects', () => {
  it.each(BAD_TARGETS)('refuses a redirect to %s with any status and dials no connection', async (target) => {
    const site = await redirector();
    const { client, dialled } = clientOf(site);
    for (const status of [301, 302, 303, 307, 308]) {
      const failure = await failureOf(client.fetch(via(site, status, target)));
      expect(failure).toMatchObject({
        kind: 'egress',
        message: 'the address is not on the public web and is not fetched',
      });
      expect(failure).toMatchObject({ cause: expect.any(EgressRefused) });
    }
    expect(new Set(dialled)).toEqual(new Set([new URL(site.origin).host]));
  });

  it('fails identically for a redirect to an open and to a closed internal port', async () => {
    const site = await redirector();
    const internal = await startSite((_request, response) => response.end(), '127.0.0.1');
    opened.push(internal);
    const { client } = clientOf(site);
    const open = await failureOf(client.fetch(via(site, 302, internal.origin)));
    const shut = await failureOf(client.fetch(via(site, 302, 'http://127.0.0.1:4')));
    expect([String(open), internal.requests.length]).toEqual([String(shut), 0]);
  });

  it('fails with kind protocol for an invalid Location, and returns a redirect without Location as the response', async () => {
    const site = await redirector();
    const bare = await startSite((_request, response) => response.writeHead(302).end('here'));
    opened.push(bare);
    const { client } = clientOf(site, bare);
    expect(await failureOf(client.fetch(via(site, 302, 'http://[')))).toMatchObject({ kind: 'protocol' });
    expect(await client.fetch(bare.origin)).toMatchObject({ status: 302, redirects: [] });
  });

  it('follows ten redirects and refuses the eleventh', async () => {
    const site = await redirector();
    const { client } = clientOf(site);
    const chain = (hops: number) =>
      Array.from({ length: hops }).reduce<string>((to) => via(site, 302, to), `${site.origin}/end`);
    const hops: string[] = [];
    const response = await client.fetch(chain(10), { onHop: ({ to }) => hops.push(to) });
    expect([response.landedUrl, response.redirects.length, hops.length]).toEqual([`${site.origin}/end`, 10, 10]);
    expect(await failureOf(client.fetch(chain(11)))).toMatchObject({ kind: 'too_many_redirects' });
    expect(await client.fetch(chain(1), { maxRedirects: 0 })).toMatchObject({ status: 302 });
  });

  it('reports a redirect to a visited URL as a loop', async () => {
    const site = await startSite((request, response) =>
      response.writeHead(302, { location: request.url === '/a' ? '/b' : '/a' }).end(),
    );
    opened.push(site);
    const { client } = clientOf(site);
    expect(await failureOf(client.fetch(`${site.origin}/a`))).toMatchObject({ kind: 'redirect_loop' });
    expect(site.requests.length).toBe(2);
  });

  it('changes POST to GET without a body after 301, 302 and 303, and repeats it after 307 and 308', async () => {
    const site = await redirector();
    const { client } = clientOf(site);
    for (const [status, method, body] of [
      [301, 'GET', ''],
      [302, 'GET', ''],
      [303, 'GET', ''],
      [307, 'POST', 'data'],
      [308, 'POST', 'data'],
    ] as const) {
      const options = { method: 'POST', body: 'data', headers: { 'content-type': 'text/plain' } };
      const received = JSON.parse(String((await client.fetch(via(site, status, `${site.origin}/end`), options)).body));
      expect([status, received.method, received.body, received.headers['content-type'] ?? '']).toEqual([
        status,
        method,
        body,
        method === 'GET' ? '' : 'text/plain',
      ]);
    }
  });

  it('drops authorization, cookie and custom headers at another origin and does not restore them later', async () => {
    const first = await redirector();
    const second = await redirector('127.0.0.3');
    const { client } = clientOf(first, second);
    const headers = {
      authorization: 'Bearer s',
      cookie: 's=1',
      'x-api-key': 's',
      'accept-language': 'en',
      'user-agent': 'T',
    };
    const there = JSON.parse(String((await client.fetch(via(first, 302, `${second.origin}/end`), { headers })).body));
    const back = via(first, 302, via(second, 302, `${first.origin}/end`));
    const home = JSON.parse(String((await client.fetch(back, { headers })).body));
    for (const received of [there.headers, home.headers]) {
      expect(Object.keys(received).sort()).toEqual([
        'accept',
        'accept-encoding',
        'accept-language',
        'connection',
        'host',
        'user-agent',
      ]);
    }
    const same = JSON.parse(String((await client.fetch(via(first, 302, '/end'), { headers })).body));
    expect(same.headers).toMatchObject({ authorization: 'Bearer s', cookie: 's=1', 'x-api-key': 's' });
    expect(same.headers['referer']).toBeUndefined();
  });

  it('never sends a request body to another origin', async () => {
    const first = await redirector();
    const second = await redirector('127.0.0.3');
    const { client } = clientOf(first, second);
    const failure = await failureOf(
      client.fetch(via(first, 307, `${second.origin}/end`), { method: 'POST', body: 'secret' }),
    );
    expect([failure, second.requests.length]).toEqual([expect.objectContaining({ kind: 'protocol' }), 0]);
  });

  it('keeps the fragment, drops userinfo and decodes a raw UTF-8 Location', async () => {
    const site = await startSite((request, response) => {
      const location =
        request.url === '/a' ? Buffer.from(`http://u:p@${request.headers.host}/é`).toString('latin1') : undefined;
      response
        .writeHead(location === undefined ? 200 : 302, location === undefined ? {} : { location })
        .end(request.headers.authorization);
    });
    opened.push(site);
    const response = await clientOf(site).client.fetch(`${site.origin}/a#top`);
    expect([response.landedUrl, response.body.toString()]).toEqual([`${site.origin}/%C3%A9#top`, '']);
  });

  it('follows a redirect with an endless body immediately', async () => {
    const site = await startSite((request, response) => {
      if (request.url !== '/a') return response.end('there');
      response.writeHead(302, { location: '/b' });
      const drip = setInterval(() => response.write('x'), 10);
      return response.on('close', () => clearInterval(drip));
    });
    opened.push(site);
    const startedAt = performance.now();
    expect((await clientOf(site).client.fetch(`${site.origin}/a`)).body.toString()).toBe('there');
    expect(performance.now() - startedAt).toBeLessThan(15_000);
  });
});

describe('HttpClient.fetch with a forbidden URL', () => {
  it.each([...BAD_TARGETS.filter((target) => !target.startsWith('//')), 'http://user:pw@8.8.8.8/', 'not a url', ''])(
    'refuses %s and dials no connection',
    async (target) => {
      const { client, dialled } = clientOf();
      expect(await failureOf(client.fetch(target))).toMatchObject({ name: 'FetchFailed' });
      expect(dialled).toEqual([]);
    },
  );
});
