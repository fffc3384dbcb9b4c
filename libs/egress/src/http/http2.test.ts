import { constants, createSecureServer } from 'node:http2';
import { createServer as createTlsServer } from 'node:https';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from '@jest/globals';
import { fine, KEYS, type OnStream, siteExampleClient, startH2 } from '../../test/h2-site.ts';
import { failureOf, listen, SITE_ADDRESS } from '../../test/loopback-site.ts';
import { BodyTooLarge, FetchFailed } from '../errors/errors.ts';

const opened: { close(): unknown }[] = [];

afterEach(async () => {
  for (const resource of opened.splice(0).reverse()) await resource.close();
});

function keep<T extends { close(): unknown }>(resource: T): T {
  opened.push(resource);
  return resource;
}

const client = () => keep(siteExampleClient());
const served = async (onStream: OnStream) => keep(await startH2(onStream));

describe('HttpClient.fetch from a server that supports HTTP/2 only', () => {
  it('uses HTTP/2 and returns headers and body as for HTTP/1.1', async () => {
    const site = await served(fine);
    const response = await client().fetch(`${site.origin}/a?b`);
    expect(response).toMatchObject({ status: 200, httpVersion: '2', bytesOnWire: 4, exitBytes: 0 });
    expect(response.body.toString()).toBe('fine');
    expect(response.headers).toMatchObject({ 'content-type': 'text/plain', 'set-cookie': ['a=1', 'b=2'] });
    expect(Object.keys(response.headers).some((name) => name.startsWith(':'))).toBe(false);
  });

  it('reuses the connection for later fetches and shares it among concurrent ones', async () => {
    let atOnce = 0;
    let most = 0;
    const site = await served((stream) => {
      atOnce += 1;
      most = Math.max(most, atOnce);
      setTimeout(() => {
        atOnce -= 1;
        stream.respond({ ':status': 200 });
        stream.end('x');
      }, 20);
    });
    const fetching = client();
    for (let i = 0; i < 3; i++) await fetching.fetch(site.origin);
    expect(site.opened()).toBe(1);
    await Promise.all(Array.from({ length: 20 }, () => fetching.fetch(site.origin)));
    expect([site.opened(), most > 1]).toEqual([1, true]);
  });

  it('sends request bodies and follows redirects', async () => {
    const site = await served((stream, path) => {
      if (path === '/from') {
        stream.respond({ ':status': 307, location: '/to' });
        stream.end('moved');
        return;
      }
      stream.respond({ ':status': 200 });
      stream.pipe(stream);
    });
    const response = await client().fetch(`${site.origin}/from`, { method: 'POST', body: 'sent' });
    expect([response.body.toString(), response.redirects]).toEqual(['sent', [`${site.origin}/from`]]);
  });
});

describe('HttpClient.fetch version negotiation', () => {
  it('uses HTTP/1.1 with a server that supports both, and HTTP/2 if the client offers it', async () => {
    const server = createSecureServer({ ...KEYS, allowHTTP1: true }, (request, response) =>
      response.end(request.httpVersion),
    );
    const port = await listen(server, SITE_ADDRESS);
    keep({ close: () => server.close() });
    for (const [offerHttp2, httpVersion, seen] of [
      [false, '1.1', '1.1'],
      [true, '2', '2.0'],
    ] as const) {
      const fetching = siteExampleClient(offerHttp2);
      const response = await fetching.fetch(`https://site.example:${port}/`);
      await fetching.close();
      expect([response.httpVersion, response.body.toString()]).toEqual([httpVersion, seen]);
    }
  });

  it('uses HTTP/1.1 with a server that supports only that, for a client that offers HTTP/2', async () => {
    const server = createTlsServer(KEYS, (_request, response) => response.end('old'));
    const port = await listen(server, SITE_ADDRESS);
    keep({ close: () => server.close() });
    const fetching = siteExampleClient(true);
    const response = await fetching.fetch(`https://site.example:${port}/`);
    await fetching.close();
    expect([response.httpVersion, response.body.toString()]).toEqual(['1.1', 'old']);
  });
});

describe('HttpClient.fetch over HTTP/2', () => {
  it('rejects a body above the size limit by its content-length and by its bytes', async () => {
    const site = await served((stream, path) => {
      if (path === '/sized') stream.respond({ ':status': 200, 'content-length': '5000' });
      else stream.respond({ ':status': 200 });
      if (path === '/sized') stream.end(Buffer.alloc(5_000));
      else {
        const more = () => {
          while (!stream.destroyed && stream.write(Buffer.alloc(65_536, 'x')));
        };
        stream.on('drain', more);
        more();
      }
    });
    const fetching = client();
    expect(await failureOf(fetching.fetch(`${site.origin}/sized`, { maxBodyBytes: 4_999 }))).toBeInstanceOf(
      BodyTooLarge,
    );
    expect((await fetching.fetch(`${site.origin}/sized`, { maxBodyBytes: 5_000 })).body.length).toBe(5_000);
    const endless = await failureOf(fetching.fetch(`${site.origin}/endless`, { maxBodyBytes: 1_000_000 }));
    expect(endless).toMatchObject({ kind: 'too_large' });
  });

  it('rejects a bomb as too large, and the connection continues to work', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024));
    const site = await served((stream, path, session) => {
      if (path !== '/bomb') return fine(stream, path, session);
      stream.respond({ ':status': 200, 'content-encoding': 'gzip' });
      stream.end(bomb);
    });
    const fetching = client();
    expect(await failureOf(fetching.fetch(`${site.origin}/bomb`))).toMatchObject({ kind: 'too_large' });
    expect((await fetching.fetch(site.origin)).body.toString()).toBe('fine');
  });

  it.each<[string, OnStream]>([
    ['never responds', () => {}],
    [
      'stops in the middle of its body',
      (stream) => {
        stream.respond({ ':status': 200, 'content-length': '10' });
        stream.write('abc');
      },
    ],
    [
      'sends one byte at a time',
      (stream) => {
        stream.respond({ ':status': 200 });
        const drip = setInterval(() => stream.write('x'), 20);
        stream.on('close', () => clearInterval(drip));
      },
    ],
    ['sends interim responses only', (stream) => stream.additionalHeaders({ ':status': 103 })],
  ])('ends a fetch at its deadline if the site %s, and other fetches of the site succeed', async (_title, onStream) => {
    const site = await served((stream, path, session) => (path === '/slow' ? onStream : fine)(stream, path, session));
    const fetching = client();
    await fetching.fetch(site.origin);
    const startedAt = performance.now();
    const slow = failureOf(fetching.fetch(`${site.origin}/slow`, { timeoutMs: 250 }));
    expect((await fetching.fetch(site.origin)).body.toString()).toBe('fine');
    expect(await slow).toMatchObject({ kind: 'timeout' });
    expect(performance.now() - startedAt).toBeLessThan(15_000);
    expect((await fetching.fetch(site.origin)).body.toString()).toBe('fine');
  });

  it('rejects with the reason of the caller’s signal and closes the stream', async () => {
    const sent = Promise.withResolvers<void>();
    const closed = Promise.withResolvers<void>();
    const site = await served((stream) => {
      stream.respond({ ':status': 200 });
      stream.write('x', () => sent.resolve());
      stream.on('close', () => closed.resolve());
    });
    const stop = new AbortController();
    const fetching = failureOf(client().fetch(site.origin, { signal: stop.signal }));
    await sent.promise;
    stop.abort(new RangeError('cancelled by the job'));
    expect(await fetching).toMatchObject({ message: 'cancelled by the job' });
    await closed.promise;
  });

  it('fails only the fetch whose stream was reset, before or during its response', async () => {
    const site = await served((stream, path, session) => {
      if (path === '/refused') return stream.close(constants.NGHTTP2_INTERNAL_ERROR);
      if (path !== '/cut') return fine(stream, path, session);
      stream.respond({ ':status': 200 });
      return stream.write('half', () => stream.destroy(new Error('cut')));
    });
    const fetching = client();
    const [refused, cut, whole] = await Promise.all([
      failureOf(fetching.fetch(`${site.origin}/refused`)),
      failureOf(fetching.fetch(`${site.origin}/cut`)),
      fetching.fetch(site.origin),
    ]);
    for (const failure of [refused, cut]) {
      expect(failure).toBeInstanceOf(FetchFailed);
      expect(failure).toMatchObject({ kind: expect.stringMatching(/reset|protocol/) });
    }
    expect(whole.body.toString()).toBe('fine');
  });

  it('rejects a body that is shorter than its content-length', async () => {
    const site = await served((stream) => {
      stream.respond({ ':status': 200, 'content-length': '10' });
      stream.end('abc');
    });
    expect(await failureOf(client().fetch(site.origin, { timeoutMs: 3_000 }))).toBeInstanceOf(FetchFailed);
  });

  it('completes pending streams after GOAWAY and opens another connection for the next fetch', async () => {
    const site = await served((stream, path, session) => {
      if (path === '/last') session.goaway(constants.NGHTTP2_NO_ERROR);
      fine(stream, path, session);
    });
    const fetching = client();
    expect((await fetching.fetch(`${site.origin}/last`)).body.toString()).toBe('fine');
    expect((await fetching.fetch(site.origin)).body.toString()).toBe('fine');
    expect(site.opened()).toBeGreaterThan(1);
  });

  it('fails within its deadline if the server refuses every stream', async () => {
    const site = await served((stream) => stream.close(constants.NGHTTP2_REFUSED_STREAM));
    expect(await failureOf(client().fetch(site.origin, { timeoutMs: 3_000 }))).toBeInstanceOf(FetchFailed);
  });

  it.each([
    ['one header of a megabyte', { x: 'a'.repeat(1_000_000) }],
    ['thousands of headers', Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`x-${i}`, 'y']))],
  ])('rejects a response with %s, and the client continues to work', async (_title, headers) => {
    const site = await served((stream, path, session) => {
      if (path !== '/huge') return fine(stream, path, session);
      stream.respond({ ':status': 200, ...headers });
      return stream.end('x');
    });
    const fetching = client();
    expect(await failureOf(fetching.fetch(`${site.origin}/huge`, { timeoutMs: 3_000 }))).toBeInstanceOf(FetchFailed);
    expect((await fetching.fetch(site.origin)).body.toString()).toBe('fine');
  });
});
