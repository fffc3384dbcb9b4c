import { connect, createServer } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ExitLease } from '@tidemark/contracts/browser/v1/exits';
import { createGuard, createHttpClient, type GuardedProxy, type HttpClient, parseAllowList } from '@tidemark/egress';
import { Server as ProxyServer } from 'proxy-chain';
import { recordConnections, serveSite, startTestPool, type TestPool, type TestSite } from './test-pool.ts';

const PAGE = 'x'.repeat(10_000);

let internal: Awaited<ReturnType<typeof recordConnections>>;
/** A server of the fleet itself, on an address that the operator allowed. */
let own: Awaited<ReturnType<typeof recordConnections>>;
let site: TestSite;
let pool: TestPool;
let exit: ProxyServer;
let client: HttpClient;
/** Targets requested from the exit. */
let tunnels: string[] = [];

beforeAll(async () => {
  internal = await recordConnections();
  own = await recordConnections();
  site = await serveSite({
    '/': PAGE,
    '/inside': (_, response) => response.writeHead(302, { location: `http://127.0.0.1:${internal.port}/` }).end(),
  });
  exit = new ProxyServer({
    port: 0,
    host: '127.0.0.1',
    prepareRequestFunction: ({ username, password, hostname, port }) => {
      tunnels.push(`${hostname}:${port}`);
      return { requestAuthentication: username !== 'tide' || password !== 'mark' };
    },
  });
  await exit.listen();
  pool = await startTestPool(
    [
      site,
      { ...site, authority: 'named.invalid:8099' },
      { ...site, authority: '127.0.0.2:9' },
      { ...site, authority: '127.0.0.2:8443' },
      { ...site, authority: `127.0.0.1:${own.port}` },
    ],
    {
      TIDEMARK_OWN_PORTS: `${own.port}`,
      TIDEMARK_EXITS: `good=http://tide:mark@127.0.0.1:${exit.port};country=DE,locked=http://tide:wrong@127.0.0.1:${exit.port};country=IT`,
      EXIT_PROXY_TUNNELS: '8',
    },
  );
});
beforeEach(() => {
  tunnels = [];
  // Allows nothing, so every connection passes the guard of browser-pool.
  client = createHttpClient(createGuard({ allow: parseAllowList('') }));
});
afterEach(() => client.close());
afterAll(async () => {
  await pool?.close();
  await exit?.close(true);
  await Promise.all([internal?.close(), own?.close(), site?.close()]);
});

const proxyOf = ({ id, token, proxyHost, proxyPort }: ExitLease): GuardedProxy => ({
  key: id,
  host: proxyHost,
  port: proxyPort,
  username: id,
  password: token,
});

/** Sends these bytes to the endpoint and returns its response up to the end of the head. */
async function raw(lease: ExitLease, request: string): Promise<string> {
  const socket = connect(lease.proxyPort, lease.proxyHost);
  socket.write(request);
  let text = '';
  for await (const chunk of socket) {
    text += String(chunk);
    if (text.includes('\r\n\r\n')) break;
  }
  return text;
}

const connectTo = (authority: string, { id }: ExitLease, token: string) =>
  `CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\nProxy-Authorization: Basic ${Buffer.from(`${id}:${token}`).toString('base64')}\r\n\r\n`;

describe('HttpClient.fetch through the CONNECT endpoint', () => {
  it('reaches the site through the exit at the admitted address and counts the bytes of the exit', async () => {
    const response = await client.fetch(`${site.url}/`, { exit: proxyOf(await pool.lease('DE')) });
    expect(response).toMatchObject({ status: 200, landedUrl: `${site.url}/` });
    expect([response.body.toString(), tunnels]).toEqual([PAGE, [site.authority]]);
    expect(response.exitBytes).toBeGreaterThan(PAGE.length + 200);
    expect(response.exitBytes).toBeLessThan(PAGE.length + 1_500);
  });

  it('counts as many bytes as a fetch that dials the exit itself', async () => {
    const direct = createHttpClient(createGuard({ allow: parseAllowList(site.authority) }));
    const own = await direct.fetch(`${site.url}/`, { exit: `http://tide:mark@127.0.0.1:${exit.port}` });
    await direct.close();
    const leased = await client.fetch(`${site.url}/`, { exit: proxyOf(await pool.lease('DE')) });
    expect(leased.exitBytes).toBe(own.exitBytes);
  });

  it('encrypts a TLS site between client and site, so that the exit sends a TLS handshake', async () => {
    let first: Buffer = Buffer.alloc(0);
    const server = createServer((socket) => {
      socket.once('data', (chunk: Buffer) => {
        first = chunk;
        socket.destroy();
      });
    });
    await new Promise<void>((resolve) => server.listen(8_443, '127.0.0.2', resolve));
    try {
      const tls = client.fetch('https://127.0.0.2:8443/', { exit: proxyOf(await pool.lease('DE')) });
      await expect(tls).rejects.toMatchObject({ kind: expect.stringMatching(/reset|tls/) });
      // A TLS record of type handshake (RFC 8446 section 5.1).
      expect([...first.subarray(0, 2)]).toEqual([22, 3]);
    } finally {
      server.close();
    }
  });

  it('reuses its connection for the next page of the same key', async () => {
    const [one, other] = [await pool.lease('DE'), await pool.lease('DE')];
    for (const lease of [one, other])
      await client.fetch(`${site.url}/`, { exit: { ...proxyOf(lease), key: 'shared' } });
    expect(tunnels).toHaveLength(1);
  });
});

describe('the egress guard of the CONNECT endpoint', () => {
  it.each(['http://127.0.0.1', 'http://10.0.0.1', 'http://[::1]', 'http://169.254.169.254', 'http://localhost'])(
    'refuses %s without a connection to the exit',
    async (origin) => {
      const exitOf = proxyOf(await pool.lease('DE'));
      await expect(client.fetch(`${origin}:${internal.port}/`, { exit: exitOf })).rejects.toMatchObject({
        kind: 'egress',
      });
      expect([tunnels, internal.count()]).toEqual([[], 0]);
    },
  );

  it('refuses a port of the fleet itself, although the operator allowed the address', async () => {
    const fetching = client.fetch(`http://127.0.0.1:${own.port}/`, { exit: proxyOf(await pool.lease('DE')) });
    await expect(fetching).rejects.toMatchObject({ kind: 'egress' });
    expect([tunnels, own.count()]).toEqual([[], 0]);
  });

  it('refuses a redirect to a private address', async () => {
    const exitOf = proxyOf(await pool.lease('DE'));
    await expect(client.fetch(`${site.url}/inside`, { exit: exitOf })).rejects.toMatchObject({ kind: 'egress' });
    expect(internal.count()).toBe(0);
  });
});

describe('a failure of the CONNECT endpoint', () => {
  it('distinguishes a failed exit from an unresolved name and contains no credentials', async () => {
    const locked = proxyOf(await pool.lease('IT'));
    const failure: unknown = await client.fetch(`${site.url}/`, { exit: locked }).catch((error: unknown) => error);
    expect(failure).toMatchObject({ kind: 'exit', message: 'the exit refused the credentials (http 407)' });
    expect(String(failure)).not.toContain('wrong');
    const unresolved = client.fetch('http://named.invalid:8099/', { exit: proxyOf(await pool.lease('DE')) });
    await expect(unresolved).rejects.toMatchObject({ kind: 'dns' });
    const closed = client.fetch('http://127.0.0.2:9/', { exit: proxyOf(await pool.lease('DE')) });
    await expect(closed).rejects.toMatchObject({ name: 'FetchFailed', kind: expect.stringMatching(/refused|reset/) });
  });
});

describe('the token of a lease', () => {
  it('is refused if it is wrong, missing, or of another lease', async () => {
    const [one, other] = [await pool.lease('DE'), await pool.lease('DE')];
    const head = `CONNECT ${site.authority} HTTP/1.1\r\nHost: ${site.authority}\r\n\r\n`;
    for (const request of [
      connectTo(site.authority, one, other.token),
      connectTo(site.authority, one, ''),
      connectTo(site.authority, { ...one, id: 'exl_unknown' }, one.token),
      head,
    ])
      expect(await raw(one, request)).toMatch(/^HTTP\/1\.1 407 /);
    expect(tunnels).toEqual([]);
    const failure = client.fetch(`${site.url}/`, { exit: { ...proxyOf(one), password: 'guess' } });
    await expect(failure).rejects.toMatchObject({ kind: 'exit' });
  });

  it('is refused after its lease was reported', async () => {
    const { ExitServiceService: Rpc } = await import('@tidemark/contracts/browser/v1/exits');
    const lease = await pool.lease('DE');
    const report = { workspaceId: 'ws_one', leaseId: lease.id, outcome: 'read' as const, bytes: 1 };
    const call = { requestId: 'req_test' };
    await expect(pool.peer.call(Rpc.reportExit, { ...report, workspaceId: 'ws_two' }, call)).rejects.toMatchObject({
      code: 'not_found',
    });
    expect(await raw(lease, connectTo(site.authority, lease, lease.token))).toMatch(/^HTTP\/1\.1 200 /);
    await pool.peer.call(Rpc.reportExit, report, call);
    expect(await raw(lease, connectTo(site.authority, lease, lease.token))).toMatch(/^HTTP\/1\.1 407 /);
    await expect(pool.peer.call(Rpc.reportExit, report, call)).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('the CONNECT endpoint', () => {
  it('accepts only CONNECT to a host and a port', async () => {
    const lease = await pool.lease('DE');
    expect(await raw(lease, 'GET http://127.0.0.1/ HTTP/1.1\r\nHost: x\r\n\r\n')).toMatch(/^HTTP\/1\.1 405 /);
    for (const authority of ['site', 'user@site:80', '[::1', '[zz]:80'])
      expect(await raw(lease, connectTo(authority, lease, lease.token))).toMatch(/^HTTP\/1\.1 400 /);
    expect(await raw(lease, `CONNECT x:80 HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(10_000)}\r\n\r\n`)).toMatch(
      /^HTTP\/1\.1 431 /,
    );
  });

  it('refuses tunnels above its limit, and accepts new ones after some have closed', async () => {
    const lease = await pool.lease('DE');
    const open = Array.from({ length: 8 }, () => connect(lease.proxyPort, lease.proxyHost));
    const heads = open.map(
      (socket) =>
        new Promise<string>((resolve) => {
          socket.once('data', (chunk) => resolve(String(chunk)));
          socket.write(connectTo(site.authority, lease, lease.token));
        }),
    );
    expect((await Promise.all(heads)).every((head) => head.startsWith('HTTP/1.1 200'))).toBe(true);
    const refused = await raw(lease, connectTo(site.authority, lease, lease.token));
    expect(refused).toMatch(/^HTTP\/1\.1 503 [\s\S]*connection_limit_reached/);
    for (const socket of open) socket.destroy();
    let head = '';
    for (let tries = 0; tries < 50 && !head.startsWith('HTTP/1.1 200'); tries += 1) {
      head = await raw(lease, connectTo(site.authority, lease, lease.token));
    }
    expect(head).toMatch(/^HTTP\/1\.1 200 /);
  });
});
