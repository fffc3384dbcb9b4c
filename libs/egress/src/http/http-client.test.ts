import { createServer as createTlsServer } from 'node:https';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { afterEach, describe, expect, it } from '@jest/globals';
import { failureOf, fakeResolver, listen, SITE_ADDRESS, startRawSite, startSite } from '../../test/loopback-site.ts';
import { SITE_EXAMPLE_CERTIFICATE, SITE_EXAMPLE_KEY } from '../../test/site-certificate.ts';
import { BodyTooLarge } from '../errors/errors.ts';
import { parseAllowList } from '../policy/allow-list.ts';
import { createGuard } from '../policy/guard.ts';
import { createHttpClient, type HttpClientOptions } from './http-client.ts';

const PAGE = Buffer.from('<!doctype html><title>Tide</title>'.repeat(60));
const opened: { close(): unknown }[] = [];

function keep<T extends { close(): unknown }>(resource: T): T {
  opened.push(resource);
  return resource;
}

function clientFor(allow: string, names: Record<string, readonly string[]> = {}, options: HttpClientOptions = {}) {
  const guard = createGuard({ allow: parseAllowList(allow), resolve: fakeResolver(names).resolve });
  return keep(createHttpClient(guard, options));
}

afterEach(async () => {
  for (const resource of opened.splice(0).reverse()) await resource.close();
});

describe('a response of HttpClient.fetch', () => {
  it('has the status, lower-case headers, repeated headers as a list, and the final URL', async () => {
    const site = keep(
      await startSite((_request, response) => {
        response.writeHead(404, ['X-One', '1', 'Set-Cookie', 'a=1', 'Set-Cookie', 'b=2']);
        response.end('gone');
      }),
    );
    const response = await clientFor(SITE_ADDRESS).fetch(`${site.origin}/a?b#c`);
    expect(response).toMatchObject({ status: 404, bytesOnWire: 4, redirects: [], truncated: false });
    expect(response.headers).toMatchObject({ 'x-one': '1', 'set-cookie': ['a=1', 'b=2'] });
    expect([response.body.toString(), response.landedUrl]).toEqual(['gone', `${site.origin}/a?b#c`]);
    expect(site.requests[0]?.url).toBe('/a?b');
  });

  it.each([
    ['gzip', gzipSync(PAGE)],
    ['br', brotliCompressSync(PAGE)],
    ['zstd', zstdCompressSync(PAGE)],
    ['deflate', deflateSync(PAGE)],
    ['deflate', deflateRawSync(PAGE)],
    ['gzip, br', brotliCompressSync(gzipSync(PAGE))],
  ])('with content-encoding %s is decoded, and its bytes on the wire are counted', async (encoding, wire) => {
    const site = keep(
      await startSite((_request, response) => response.writeHead(200, { 'content-encoding': encoding }).end(wire)),
    );
    const response = await clientFor(SITE_ADDRESS).fetch(site.origin);
    expect([response.body.equals(PAGE), response.bytesOnWire]).toEqual([true, wire.length]);
  });

  it('to HEAD or with status 204 has an empty body for any headers', async () => {
    const site = keep(
      await startSite((request, response) => {
        const headers = { 'content-encoding': 'gzip', 'content-length': '99999999' };
        if (request.method === 'HEAD') response.writeHead(200, headers).end();
        else response.writeHead(204, { 'content-encoding': 'gzip' }).end();
      }),
    );
    const client = clientFor(SITE_ADDRESS);
    expect((await client.fetch(site.origin, { method: 'HEAD' })).body.length).toBe(0);
    expect((await client.fetch(site.origin)).body.length).toBe(0);
  });

  it('to each of many sequential requests uses at most two connections', async () => {
    const ports = new Set<number | undefined>();
    const site = keep(
      await startSite((request, response) => {
        ports.add(request.socket.remotePort);
        response.end('x');
      }),
    );
    const client = clientFor(SITE_ADDRESS);
    for (let i = 0; i < 20; i++) await client.fetch(site.origin);
    // undici does not reuse a socket before the next tick of the event loop, hence two.
    expect(ports.size).toBeLessThanOrEqual(2);
  });

  it('is returned after the site has silently closed a keep-alive connection', async () => {
    const site = keep(
      await startRawSite((socket) => {
        socket.once('data', () => {
          socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
          socket.on('data', () => socket.destroy());
        });
      }),
    );
    const client = clientFor(SITE_ADDRESS);
    expect((await client.fetch(site.origin)).body.toString()).toBe('ok');
    expect((await client.fetch(site.origin)).body.toString()).toBe('ok');
  });

  it('over https uses the name for SNI, certificate and Host, and the admitted address for the connection', async () => {
    const seen: unknown[] = [];
    const server = createTlsServer({ key: SITE_EXAMPLE_KEY, cert: SITE_EXAMPLE_CERTIFICATE }, (request, response) => {
      seen.push(request.headers.host, 'servername' in request.socket ? request.socket.servername : undefined);
      response.end('secure');
    });
    const port = await listen(server, SITE_ADDRESS);
    const names = { 'site.example': [SITE_ADDRESS] };
    const trusting = clientFor('site.example', names, { ca: SITE_EXAMPLE_CERTIFICATE });
    const response = await trusting.fetch(`https://site.example:${port}/`);
    expect([response.body.toString(), ...seen]).toEqual(['secure', `site.example:${port}`, 'site.example']);
    const untrusted = await failureOf(clientFor('site.example', names).fetch(`https://site.example:${port}/`));
    expect(untrusted).toMatchObject({ kind: 'tls' });
    const wrongName = clientFor('b.example', { 'b.example': [SITE_ADDRESS] }, { ca: SITE_EXAMPLE_CERTIFICATE });
    expect(await failureOf(wrongName.fetch(`https://b.example:${port}/`))).toMatchObject({ kind: 'tls' });
    server.closeAllConnections();
    server.close();
  });
});

describe('limits of HttpClient.fetch', () => {
  it('reject a body above the size limit by its content-length, or by its bytes if it has none', async () => {
    const site = keep(
      await startSite((request, response) => {
        if (request.url === '/endless') {
          const more = () => {
            while (response.writable && response.write(Buffer.alloc(65_536, 'x')));
          };
          response.on('drain', more);
          more();
        } else response.writeHead(200, { 'content-length': '5000' }).end(Buffer.alloc(5_000));
      }),
    );
    const client = clientFor(SITE_ADDRESS);
    expect(await failureOf(client.fetch(site.origin, { maxBodyBytes: 4_999 }))).toBeInstanceOf(BodyTooLarge);
    expect((await client.fetch(site.origin, { maxBodyBytes: 5_000 })).body.length).toBe(5_000);
    const endless = await failureOf(client.fetch(`${site.origin}/endless`, { maxBodyBytes: 1_000_000 }));
    expect(endless).toMatchObject({ kind: 'too_large' });
  });

  it('reject a gzip bomb as too large, and the client continues to work', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024));
    const site = keep(
      await startSite((request, response) => {
        if (request.url === '/bomb') response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb);
        else response.end('fine');
      }),
    );
    const client = clientFor(SITE_ADDRESS);
    expect(await failureOf(client.fetch(`${site.origin}/bomb`))).toMatchObject({ kind: 'too_large' });
    expect((await client.fetch(site.origin)).body.toString()).toBe('fine');
  });

  it.each([
    ['never responds', ''],
    ['stops in the middle of its head', 'HTTP/1.1 200 OK\r\nx-a'],
    ['stops in the middle of its body', 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc'],
    ['sends interim responses only', 'HTTP/1.1 103 Early Hints\r\n\r\n'],
  ])('end a fetch at its deadline if the site %s', async (_title, bytes) => {
    const site = keep(await startRawSite((socket) => socket.write(bytes)));
    const startedAt = performance.now();
    const failure = await failureOf(clientFor(SITE_ADDRESS).fetch(site.origin, { timeoutMs: 250 }));
    expect(failure).toMatchObject({ kind: 'timeout' });
    expect(performance.now() - startedAt).toBeLessThan(15_000);
  });

  it('end a fetch at its deadline if the site sends one byte at a time, redirects included', async () => {
    const site = keep(
      await startRawSite((socket) => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n');
        const drip = setInterval(() => socket.write('x'), 20);
        socket.on('close', () => clearInterval(drip));
      }),
    );
    const hop = keep(await startSite((_request, response) => response.writeHead(302, { location: site.origin }).end()));
    const failure = await failureOf(clientFor(SITE_ADDRESS).fetch(hop.origin, { timeoutMs: 250 }));
    expect(failure).toMatchObject({ kind: 'timeout' });
  });

  it('end a fetch at its deadline if the resolver never responds', async () => {
    const guard = createGuard({ allow: parseAllowList(''), resolve: () => new Promise(() => {}) });
    const client = keep(createHttpClient(guard));
    expect(await failureOf(client.fetch('http://a.example/', { timeoutMs: 100 }))).toMatchObject({ kind: 'timeout' });
  });

  it('reject with the reason of the caller’s signal, aborted before or during the fetch', async () => {
    const site = keep(await startRawSite(() => {}));
    const client = clientFor(SITE_ADDRESS);
    const stop = new AbortController();
    const running = failureOf(client.fetch(site.origin, { signal: stop.signal }));
    setTimeout(() => stop.abort(new RangeError('cancelled by the job')), 50);
    expect(await running).toMatchObject({ message: 'cancelled by the job' });
    const late = await failureOf(client.fetch(site.origin, { signal: stop.signal }));
    expect(late).toMatchObject({ message: 'cancelled by the job' });
  });

  it('reject headers above 64 KB, and twenty thousand small headers, as protocol failures', async () => {
    for (const head of [`x: ${'a'.repeat(1_000_000)}\r\n`, 'x: y\r\n'.repeat(20_000)]) {
      const site = keep(await startRawSite((socket) => socket.end(`HTTP/1.1 200 OK\r\n${head}\r\n`)));
      expect(await failureOf(clientFor(SITE_ADDRESS).fetch(site.origin))).toMatchObject({ kind: 'protocol' });
    }
  });
});
