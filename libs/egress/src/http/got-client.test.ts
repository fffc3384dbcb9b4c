import { createServer as createTlsServer } from 'node:https';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from '@jest/globals';
import { failureOf, fakeResolver, listen, SITE_ADDRESS, startRawSite, startSite } from '../../test/loopback-site.ts';
import { SITE_EXAMPLE_CERTIFICATE, SITE_EXAMPLE_KEY } from '../../test/site-certificate.ts';
import { toFetchFailed } from '../errors/errors.ts';
import { parseAllowList } from '../policy/allow-list.ts';
import { createGuard } from '../policy/guard.ts';
import { createGot } from './got-client.ts';

const opened: { close(): unknown }[] = [];
afterEach(async () => {
  for (const resource of opened.splice(0).reverse()) await resource.close();
});

function gotFor(allow: string, names: Record<string, readonly string[]> = {}) {
  return createGot(createGuard({ allow: parseAllowList(allow), resolve: fakeResolver(names).resolve }));
}

describe('createGot', () => {
  it('reaches an allowed site by name and by address, and resolves for any status', async () => {
    const site = await startSite((request, response) => response.writeHead(503).end(request.headers.host));
    opened.push(site);
    const client = gotFor(`site.example,${SITE_ADDRESS}`, { 'site.example': [SITE_ADDRESS] });
    const byName = await client.get(`http://site.example:${site.port}/`);
    expect([byName.statusCode, byName.body]).toEqual([503, `site.example:${site.port}`]);
    expect((await client.get(site.origin)).statusCode).toBe(503);
  });

  it.each([
    'http://127.0.0.1:80/',
    'https://127.0.0.1/',
    'http://[::1]/',
    'http://169.254.169.254/',
    'http://inner.example/',
    'http://localhost/',
    'http://8.8.8.8:25/',
  ])('refuses the URL %s', async (url) => {
    const failure = await failureOf(gotFor('', { 'inner.example': ['10.0.0.1'] }).get(url));
    expect(toFetchFailed(failure)).toMatchObject({ kind: 'egress' });
  });

  it('refuses a redirect to loopback without a request to the internal site', async () => {
    const internal = await startSite((_request, response) => response.end('secret'), '127.0.0.1');
    const site = await startSite((_request, response) => response.writeHead(302, { location: internal.origin }).end());
    opened.push(internal, site);
    const failure = await failureOf(gotFor(SITE_ADDRESS).get(site.origin));
    expect([toFetchFailed(failure), internal.requests.length]).toEqual([
      expect.objectContaining({ kind: 'egress' }),
      0,
    ]);
  });

  it('reports more redirects than it follows, and one to another protocol, as failures of the site', async () => {
    const site = await startSite(({ url = '' }, response) => {
      const location = url === '/ftp' ? 'ftp://site.example/' : `${url}x`;
      response.writeHead(302, { location }).end();
    });
    opened.push(site);
    const client = gotFor(SITE_ADDRESS);
    const kindOf = async (path: string) => toFetchFailed(await failureOf(client.get(site.origin + path)));
    expect(await kindOf('/a')).toMatchObject({ kind: 'too_many_redirects', message: 'too many redirects' });
    expect(await kindOf('/ftp')).toMatchObject({ kind: 'protocol' });
  });

  it('connects to the admitted address even if the caller passes its own lookup', async () => {
    const site = await startSite((_request, response) => response.end('x'), '127.0.0.1');
    opened.push(site);
    const client = gotFor('', { 'site.example': ['127.0.0.1'] });
    const failure = await failureOf(
      client.get(`http://site.example:${site.port}/`, {
        dnsLookup: (_host, _options, done) => done(null, '127.0.0.1', 4),
      }),
    );
    expect([toFetchFailed(failure), site.requests.length]).toEqual([expect.objectContaining({ kind: 'egress' }), 0]);
  });

  it('checks the certificate for the host name, and refuses an untrusted certificate', async () => {
    const server = createTlsServer({ key: SITE_EXAMPLE_KEY, cert: SITE_EXAMPLE_CERTIFICATE }, (_request, response) =>
      response.end('secure'),
    );
    const port = await listen(server, SITE_ADDRESS);
    opened.push({ close: () => server.close() }, { close: () => server.closeAllConnections() });
    const client = gotFor('site.example', { 'site.example': [SITE_ADDRESS] });
    const trusted = await client.get(`https://site.example:${port}/`, {
      https: { certificateAuthority: SITE_EXAMPLE_CERTIFICATE },
    });
    expect(trusted.body).toBe('secure');
    const failure = await failureOf(client.get(`https://site.example:${port}/`));
    expect(toFetchFailed(failure)).toMatchObject({ kind: 'tls' });
  });

  it('stops at the limit of decoded bytes, bombs included, and returns smaller bodies', async () => {
    const bomb = gzipSync(Buffer.alloc(8 * 1024 * 1024));
    const site = await startSite((request, response) => {
      if (request.url === '/bomb') response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb);
      else response.end(Buffer.alloc(Number(request.url?.slice(1))));
    });
    opened.push(site);
    const guard = createGuard({ allow: parseAllowList(SITE_ADDRESS) });
    const client = createGot(guard, { maxBodyBytes: 1_000_000 });
    expect((await client.get(`${site.origin}/1000000`).buffer()).length).toBe(1_000_000);
    for (const path of ['/bomb', '/1000001', '/9000000']) {
      expect([path, toFetchFailed(await failureOf(client.get(site.origin + path)))]).toMatchObject([
        path,
        { kind: 'too_large' },
      ]);
    }
  });

  it('fails at its deadline if the site sends nothing', async () => {
    const site = await startRawSite(() => {});
    opened.push(site);
    const failure = await failureOf(gotFor(SITE_ADDRESS).get(site.origin, { timeout: { request: 200 } }));
    expect(toFetchFailed(failure)).toMatchObject({ kind: 'timeout' });
  });
});
