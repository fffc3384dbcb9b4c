import { createServer as createTlsServer } from 'node:https';
import { afterEach, describe, expect, it } from '@jest/globals';
import { startCountingRelay, startProxy, startSocks } from '../../test/exits.ts';
import { fine, KEYS, startH2 } from '../../test/h2-site.ts';
import { failureOf, fakeResolver, listen, SITE_ADDRESS, startRawSite, startSite } from '../../test/loopback-site.ts';
import { EXIT_CERTIFICATE, SITE_EXAMPLE_CERTIFICATE, SITE_EXAMPLE_KEY } from '../../test/site-certificate.ts';
import { parseAllowList } from '../policy/allow-list.ts';
import { createGuard } from '../policy/guard.ts';
import { createHttpClient, type HttpClient } from './http-client.ts';

const PAGE = 'x'.repeat(10_000);
const opened: { close(): unknown }[] = [];

function keep<T extends { close(): unknown }>(resource: T): T {
  opened.push(resource);
  return resource;
}

afterEach(async () => {
  for (const resource of opened.splice(0).reverse()) await resource.close();
});

function client(): HttpClient {
  const { resolve } = fakeResolver({ 'site.example': [SITE_ADDRESS], 'b.example': [SITE_ADDRESS] });
  const guard = createGuard({ allow: parseAllowList(`${SITE_ADDRESS},site.example,b.example`), resolve });
  return keep(createHttpClient(guard, { ca: SITE_EXAMPLE_CERTIFICATE + EXIT_CERTIFICATE }));
}

const site = async () =>
  keep(
    await startSite((request, response) => {
      if (request.url === '/moved') response.writeHead(302, { location: '/' }).end('moved');
      else response.end(PAGE);
    }),
  );

async function tlsSite(seen: unknown[] = []): Promise<number> {
  const server = createTlsServer(KEYS, (request, response) => {
    seen.push(request.headers.host, 'servername' in request.socket ? request.socket.servername : undefined);
    response.end(PAGE);
  });
  const port = await listen(server, SITE_ADDRESS);
  keep({
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  });
  return port;
}

const exitOf = async () => {
  const proxy = keep(await startProxy());
  return { ...proxy, url: `http://${SITE_ADDRESS}:${proxy.port}` };
};

describe('HttpClient.fetch through an exit', () => {
  it('fetches a plain site through a tunnel to the admitted address and counts its bytes', async () => {
    const [exit, { port }] = [await exitOf(), await site()];
    const response = await client().fetch(`http://site.example:${port}/`, { exit: exit.url });
    expect([response.body.toString(), exit.requested]).toEqual([PAGE, [`${SITE_ADDRESS}:${port}`]]);
    expect(response.exitBytes).toBeGreaterThan(PAGE.length + 200);
    expect(response.exitBytes).toBeLessThan(PAGE.length + 2_000);
    expect((await client().fetch(`http://site.example:${port}/`)).exitBytes).toBe(0);
  });

  it('encrypts a TLS site end to end and checks SNI and certificate for the name', async () => {
    const seen: unknown[] = [];
    const [exit, port] = [await exitOf(), await tlsSite(seen)];
    const fetching = client();
    const response = await fetching.fetch(`https://site.example:${port}/`, { exit: exit.url });
    expect([response.body.toString(), ...seen]).toEqual([PAGE, `site.example:${port}`, 'site.example']);
    expect(response.exitBytes).toBeGreaterThan(PAGE.length + 1_000);
    const other = await failureOf(fetching.fetch(`https://b.example:${port}/`, { exit: exit.url }));
    expect(other).toMatchObject({ kind: 'tls', message: expect.stringContaining('another host name') });
  });

  it('fetches a TLS site through a SOCKS exit', async () => {
    const [exit, port] = [keep(await startSocks()), await tlsSite()];
    const response = await client().fetch(`https://site.example:${port}/`, {
      exit: `socks5://${SITE_ADDRESS}:${exit.port}`,
    });
    expect(response.body.toString()).toBe(PAGE);
    expect(response.exitBytes).toBeGreaterThan(PAGE.length + 1_000);
  });

  it('nests TLS through an https:// exit and counts all of its bytes', async () => {
    const proxy = keep(await startProxy(undefined, { key: SITE_EXAMPLE_KEY, cert: EXIT_CERTIFICATE }));
    const relay = keep(await startCountingRelay(proxy.port));
    const [exit, port, { origin }] = [`https://${SITE_ADDRESS}:${relay.port}`, await tlsSite(), await site()];
    const fetching = client();
    let counted = 0;
    for (const url of [`https://site.example:${port}/`, origin]) {
      const { body, exitBytes } = await fetching.fetch(url, { exit });
      expect(body.toString()).toBe(PAGE);
      counted += exitBytes;
    }
    // Session tickets may arrive after the response is complete.
    expect(Math.abs(relay.bytes() - counted)).toBeLessThan(1_000);
  });

  it('fetches a site that supports HTTP/2 only', async () => {
    const [exit, h2] = [await exitOf(), keep(await startH2(fine))];
    const response = await client().fetch(h2.origin, { exit: exit.url });
    expect(response).toMatchObject({ httpVersion: '2', status: 200 });
    expect(response.exitBytes).toBeGreaterThan(1_000);
  });

  it('shares keep-alive connections among fetches of the same exit and origin only', async () => {
    const [one, other, { port, origin }] = [await exitOf(), await exitOf(), await site()];
    const fetching = client();
    const first = await fetching.fetch(origin, { exit: one.url });
    const second = await fetching.fetch(origin, { exit: one.url });
    await fetching.fetch(origin, { exit: other.url });
    await fetching.fetch(`http://site.example:${port}/`, { exit: one.url });
    await fetching.fetch(origin);
    expect([one.requested.length, other.requested.length]).toEqual([2, 1]);
    expect(second.exitBytes).toBeLessThan(first.exitBytes);
    expect(second.exitBytes).toBeGreaterThan(PAGE.length);
  });

  it('counts the bytes of concurrent fetches separately', async () => {
    const [exit, { origin }] = [await exitOf(), await site()];
    const fetching = client();
    const responses = await Promise.all(Array.from({ length: 12 }, () => fetching.fetch(origin, { exit: exit.url })));
    for (const { exitBytes, body } of responses) {
      expect(body.length).toBe(PAGE.length);
      expect(exitBytes).toBeGreaterThan(PAGE.length);
      expect(exitBytes).toBeLessThan(PAGE.length + 2_000);
    }
  });

  it('follows redirects through the exit and counts the bytes of all hops', async () => {
    const [exit, { origin }] = [await exitOf(), await site()];
    const fetching = client();
    const plain = await fetching.fetch(origin, { exit: exit.url });
    const moved = await fetching.fetch(`${origin}/moved`, { exit: exit.url });
    expect([moved.body.toString(), moved.redirects.length]).toEqual([PAGE, 1]);
    expect(moved.exitBytes).toBeGreaterThan(plain.exitBytes);
  });

  it('refuses addresses that the guard refuses, redirects included, without a request to the exit', async () => {
    const exit = await exitOf();
    const evil = keep(
      await startSite((_request, response) => response.writeHead(302, { location: 'http://10.0.0.1/' }).end()),
    );
    const fetching = client();
    expect(await failureOf(fetching.fetch('http://127.0.0.1/', { exit: exit.url }))).toMatchObject({ kind: 'egress' });
    expect(await failureOf(fetching.fetch(evil.origin, { exit: exit.url }))).toMatchObject({ kind: 'egress' });
    expect(exit.requested).toEqual([`${SITE_ADDRESS}:${evil.port}`]);
  });
});

describe('a failed HttpClient.fetch through an exit', () => {
  it('distinguishes failures of the exit from those of the site and contains no credentials', async () => {
    const locked = keep(await startProxy({ username: 'u', password: 'right' }));
    const closed = await startRawSite(() => {});
    await closed.close();
    const { origin } = await site();
    const fetching = client();
    const exits = [
      `http://u:secret@${SITE_ADDRESS}:${locked.port}`,
      `http://u:secret@${SITE_ADDRESS}:${closed.port}`,
      'gopher://u:secret@a.example',
    ];
    for (const exit of exits) {
      const failure = await failureOf(fetching.fetch(origin, { exit }));
      expect([failure, String(failure)]).toEqual([
        expect.objectContaining({ kind: 'exit' }),
        expect.not.stringContaining('secret'),
      ]);
    }
    const open = await exitOf();
    expect(await failureOf(fetching.fetch(closed.origin, { exit: open.url }))).toMatchObject({ kind: 'reset' });
  });

  it('respects the deadline, the size limit and the caller’s signal', async () => {
    const [exit, { origin }] = [await exitOf(), await site()];
    const silent = keep(await startRawSite(() => {}));
    const fetching = client();
    const late = fetching.fetch(silent.origin, { exit: exit.url, timeoutMs: 200 });
    expect(await failureOf(late)).toMatchObject({ kind: 'timeout' });
    const large = fetching.fetch(origin, { exit: exit.url, maxBodyBytes: 9_999 });
    expect(await failureOf(large)).toMatchObject({ kind: 'too_large' });
    const stop = new AbortController();
    const given = failureOf(fetching.fetch(silent.origin, { exit: exit.url, signal: stop.signal }));
    setTimeout(() => stop.abort(new RangeError('cancelled by the job')), 50);
    expect(await given).toMatchObject({ message: 'cancelled by the job' });
    expect((await fetching.fetch(origin, { exit: exit.url })).body.toString()).toBe(PAGE);
  });

  it('is retried once if the site has closed a keep-alive connection', async () => {
    const exit = await exitOf();
    const flaky = keep(
      await startRawSite((socket) => {
        socket.once('data', () => {
          socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
          socket.on('data', () => socket.destroy());
        });
      }),
    );
    const fetching = client();
    for (let i = 0; i < 3; i++) {
      expect((await fetching.fetch(flaky.origin, { exit: exit.url })).body.toString()).toBe('ok');
    }
  });
});
