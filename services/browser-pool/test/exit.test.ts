import { createServer as createTcpServer, type Socket } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { LivePageServiceService as LiveRpc, OpenLivePageRequest } from '@tidemark/contracts/browser/v1/live';
import { Server as ProxyServer } from 'proxy-chain';
import { recordConnections, serveSite, startTestPool, type TestPool, type TestSite } from './test-pool.ts';

const TEXT = '<p>Enough text to be a page and not a shell that waits for its content. </p>'.repeat(10);

let internal: Awaited<ReturnType<typeof recordConnections>>;
let site: TestSite;
let pool: TestPool;
let exit: ProxyServer;
let socks: Awaited<ReturnType<typeof startSocks>>;
/** Targets requested from the exit. */
let tunnels: string[] = [];

beforeAll(async () => {
  internal = await recordConnections();
  site = await serveSite({
    '/': `${TEXT}<img src="/pixel.gif"><script>fetch('/data')</script>`,
    '/data': (_, response) => response.end('x'.repeat(100_000)),
    '/to-inside': `${TEXT}<script>location.href = 'http://127.0.0.1:${internal.port}/'</script>`,
  });
  exit = new ProxyServer({
    port: 0,
    host: '127.0.0.1',
    prepareRequestFunction: ({ username, password, hostname, port }) => {
      tunnels.push(`${hostname}:${port}`);
      return { requestAuthentication: username !== 'tide' || password !== 'mark:1' };
    },
  });
  await exit.listen();
  socks = await startSocks('tide', 'mark');
  pool = await startTestPool([site, { ...site, authority: 'named.invalid:8099' }], {
    TIDEMARK_EXITS: [
      `good=http://tide:mark%3A1@127.0.0.1:${exit.port};country=DE`,
      `locked=http://tide:wrong%3A1@127.0.0.1:${exit.port};country=IT`,
      `closed=http://tide:mark%3A1@127.0.0.1:9;country=FR`,
      `socks=socks5://tide:mark@127.0.0.1:${socks.port};country=NL`,
    ].join(','),
  });
});

beforeEach(() => {
  tunnels = [];
});

afterAll(async () => {
  await pool?.close();
  await exit?.close(true);
  await socks?.close();
  await Promise.all([internal?.close(), site?.close()]);
});

const by = async (country: string) => ({ exitLeaseId: (await pool.lease(country)).id });

describe('a render through an exit', () => {
  it('sends every request of the page through the exit to the admitted address and counts the bytes', async () => {
    const page = await pool.render(`${site.url}/`, await by('DE'));
    expect(page).toMatchObject({ httpStatus: 200, failure: undefined });
    expect(tunnels.length).toBeGreaterThan(0);
    expect(new Set(tunnels)).toEqual(new Set([site.authority]));
    expect(page.exitBytes).toBeGreaterThan(100_000);
    expect(page.exitBytes).toBeGreaterThan(page.bytesReceived);
  });

  it('shares no connection with a direct render or another exit', async () => {
    expect((await pool.render(`${site.url}/`)).exitBytes).toBe(0);
    expect(tunnels).toEqual([]);
    const through = await pool.render(`${site.url}/`, await by('DE'));
    expect(through.exitBytes).toBeGreaterThan(100_000);
    // This exit is unusable; no bytes may arrive through the other one.
    const dead = await pool.render(`${site.url}/`, await by('FR'));
    expect(dead).toMatchObject({ failure: 'exit', bytesReceived: 0 });
    const { length } = tunnels;
    expect((await pool.render(`${site.url}/`)).exitBytes).toBe(0);
    expect(tunnels).toHaveLength(length);
  });

  it('refuses addresses that the guard refuses, without a request to the exit', async () => {
    const inside = await pool.render(`http://127.0.0.1:${internal.port}/`, await by('DE'));
    expect(inside).toMatchObject({ failure: 'egress' });
    expect(tunnels).toEqual([]);
    expect(await pool.render(`${site.url}/to-inside`, await by('DE'))).toMatchObject({ failure: 'egress' });
    expect(internal.count()).toBe(0);
  });

  it('fails as dns for a name that the guard cannot resolve, without a request to the exit', async () => {
    expect(await pool.render('http://named.invalid:8099/', await by('DE'))).toMatchObject({ failure: 'dns' });
    expect(tunnels).toEqual([]);
  });

  it.each([
    ['that does not listen', 'FR'],
    ['with wrong credentials', 'IT'],
  ])('fails as exit for an exit %s, without its credentials in the response', async (_, country) => {
    const page = await pool.render(`${site.url}/`, await by(country));
    expect(page).toMatchObject({ failure: 'exit', httpStatus: 0, html: '' });
    expect(JSON.stringify(page)).not.toMatch(/mark|wrong/);
  });

  it('fails as exit for an unknown lease and for a lease of another workspace', async () => {
    const { id } = await pool.lease('DE', { workspaceId: 'ws_two' });
    for (const exitLeaseId of ['exl_unknown', id])
      expect(await pool.render(`${site.url}/`, { exitLeaseId })).toMatchObject({ failure: 'exit', bytesReceived: 0 });
    expect(tunnels).toEqual([]);
    expect(await pool.render(`${site.url}/`, { exitLeaseId: id, workspaceId: 'ws_two' })).toMatchObject({
      httpStatus: 200,
    });
  });
});

describe('a live page through an exit', () => {
  const open = (more: { readonly exitLeaseId: string; readonly workspaceId?: string }) => {
    const id = crypto.randomUUID();
    const page = {
      id,
      workspaceId: 'ws_one',
      url: `${site.url}/`,
      device: 'desktop' as const,
      lifetimeMs: 20_000,
      ...more,
    };
    return pool.peer.call(
      LiveRpc.openLivePage,
      OpenLivePageRequest.fromPartial(page),
      { requestId: 'req_test' },
      { deadlineMs: 40_000 },
    );
  };

  it('sends its requests through the exit of its lease', async () => {
    const { page, failure } = await open(await by('DE'));
    expect([failure, page?.url]).toEqual([undefined, `${site.url}/`]);
    expect(new Set(tunnels)).toEqual(new Set([site.authority]));
  });

  it('is not opened with a lease that its workspace does not hold', async () => {
    const { id } = await pool.lease('DE');
    expect(await open({ exitLeaseId: id, workspaceId: 'ws_two' })).toMatchObject({ failure: 'exit', page: undefined });
    expect(tunnels).toEqual([]);
  });
});

describe('a render through a SOCKS5 exit', () => {
  it('requests the admitted address with username and password', async () => {
    const page = await pool.render(`${site.url}/`, await by('NL'));
    expect(page).toMatchObject({ httpStatus: 200, failure: undefined });
    expect(new Set(socks.requested)).toEqual(new Set([site.authority]));
    expect(page.exitBytes).toBeGreaterThan(100_000);
  });
});

/** Starts a minimal SOCKS5 proxy (RFC 1928, 1929): username and password, CONNECT to an IPv4 address. */
async function startSocks(username: string, password: string) {
  const requested: string[] = [];
  const sockets = new Set<Socket>();
  const { connect } = await import('node:net');
  const server = createTcpServer((client) => {
    sockets.add(client.on('error', () => client.destroy()));
    const steps = [
      () => client.write(Buffer.from([5, 2])),
      (data: Buffer) => {
        const name = data.subarray(2, 2 + (data[1] ?? 0));
        const word = data.subarray(3 + name.length);
        client.write(
          Buffer.from([1, name.equals(Buffer.from(username)) && word.equals(Buffer.from(password)) ? 0 : 1]),
        );
      },
      (data: Buffer) => {
        const host = [...data.subarray(4, 8)].join('.');
        const port = data.readUInt16BE(8);
        requested.push(`${host}:${port}`);
        const upstream = connect({ host, port }, () => {
          client.write(Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]));
          client.pipe(upstream).pipe(client);
        });
        sockets.add(upstream.on('error', () => client.destroy()));
      },
    ];
    client.on('data', (data: Buffer) => steps.shift()?.(data));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    port: address === null || typeof address === 'string' ? 0 : address.port,
    requested,
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
