import { afterEach, describe, expect, it } from '@jest/globals';
import { startProxy } from '../../test/exits.ts';
import { failureOf, SITE_ADDRESS, startRawSite, startSite } from '../../test/loopback-site.ts';
import { createHttpClient, type HttpClient } from '../http/http-client.ts';
import { parseAllowList } from '../policy/allow-list.ts';
import { createGuard } from '../policy/guard.ts';
import { EXIT_BYTES_HEADER, type GuardedProxy } from './guarded-proxy.ts';

const PAGE = 'x'.repeat(10_000);
const opened: { close(): unknown }[] = [];

function keep<T extends { close(): unknown }>(resource: T): T {
  opened.push(resource);
  return resource;
}

afterEach(async () => {
  for (const resource of opened.splice(0).reverse()) await resource.close();
});

/** A client whose guard admits nothing. */
const client = (): HttpClient => keep(createHttpClient(createGuard({ allow: parseAllowList('') })));
const site = async () => keep(await startSite((_request, response) => response.end(PAGE)));
const at = (port: number, more: Partial<GuardedProxy> = {}): GuardedProxy => ({
  key: 'one',
  host: SITE_ADDRESS,
  port,
  username: 'lease',
  password: 'token',
  ...more,
});

/** A proxy that responds to every CONNECT with this head. */
const respondingWith = async (head: string) =>
  keep(await startRawSite((socket) => socket.once('data', () => socket.end(head))));

describe('HttpClient.fetch through a guarded proxy', () => {
  it('sends the unresolved host name with the credentials of the lease', async () => {
    const [proxy, { port }] = [keep(await startProxy({ username: 'lease', password: 'token' })), await site()];
    const response = await client().fetch(`http://${SITE_ADDRESS}:${port}/`, { exit: at(proxy.port) });
    expect(response.body.toString()).toBe(PAGE);
    const failure = client().fetch('http://nowhere.invalid/', { exit: at(proxy.port) });
    expect(await failureOf(failure)).toMatchObject({ kind: 'exit' });
    expect(proxy.requested).toEqual([`${SITE_ADDRESS}:${port}`, 'nowhere.invalid:80']);
  });

  it('counts the bytes reported by the proxy and those of the tunnel, but not the CONNECT request', async () => {
    const proxy = keep(
      await startRawSite((socket) => {
        socket.once('data', () => {
          socket.write(`HTTP/1.1 200 OK\r\n${EXIT_BYTES_HEADER}: 5000\r\n\r\n`);
          socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'));
        });
      }),
    );
    const { exitBytes } = await client().fetch('http://site.example/', { exit: at(proxy.port) });
    expect(exitBytes).toBeGreaterThan(5_000 + 40);
    expect(exitBytes).toBeLessThan(5_000 + 300);
  });

  it('shares keep-alive connections among leases of one key only', async () => {
    const [proxy, { origin }] = [keep(await startProxy()), await site()];
    const fetching = client();
    for (const more of [{}, { username: 'next' }, { key: 'two' }])
      await fetching.fetch(origin, { exit: at(proxy.port, more) });
    expect(proxy.requested).toHaveLength(2);
  });
});

describe('HttpClient.fetch with a failing guarded proxy', () => {
  it.each([
    ['destination_ip_prohibited', 'egress'],
    ['dns_error', 'dns'],
    ['connection_timeout', 'timeout'],
    ['connection_refused', 'refused'],
    ['connection_terminated', 'reset'],
    ['destination_unavailable', 'exit'],
  ])('maps the Proxy-Status error %s to the kind %s', async (type, kind) => {
    const proxy = await respondingWith(
      `HTTP/1.1 502 Bad Gateway\r\nProxy-Status: t; error=${type}; details="why"\r\n\r\n`,
    );
    const failure = await failureOf(client().fetch('http://site.example/', { exit: at(proxy.port) }));
    expect(failure).toMatchObject({ name: 'FetchFailed', kind, message: 'why' });
  });

  it('reports a failure without a reason and a refused lease as a failure of the exit', async () => {
    for (const head of ['HTTP/1.1 407 No\r\n\r\n', 'HTTP/1.1 503 No\r\nProxy-Status: unparsable\r\n\r\n']) {
      const proxy = await respondingWith(head);
      const failure = await failureOf(client().fetch('http://site.example/', { exit: at(proxy.port) }));
      expect(failure).toMatchObject({ name: 'FetchFailed', kind: 'exit' });
    }
  });

  it('distinguishes a proxy that does not respond from a failed exit', async () => {
    const closed = await startRawSite(() => {});
    await closed.close();
    const silent = keep(await startRawSite((socket) => socket.destroy()));
    for (const { port } of [closed, silent]) {
      const failure = await failureOf(client().fetch('http://site.example/', { exit: at(port) }));
      expect([failure, String(failure)]).toEqual([
        expect.objectContaining({ name: 'GuardedProxyUnreachable', kind: 'exit' }),
        expect.not.stringContaining('token'),
      ]);
    }
  });
});
