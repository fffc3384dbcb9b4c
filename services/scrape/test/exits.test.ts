import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ExitServiceService as Rpc } from '@tidemark/contracts/browser/v1/exits';
import {
  anonymous,
  captureOptions,
  type RunningService,
  type ServiceProcess,
  spawnService,
  until,
} from '@tidemark/testkit';
import { article, clientIn, openScrape, type ScrapeServers } from './scrape-servers.ts';

const MAIN = resolve(import.meta.dirname, '../../browser-pool/src/main.ts');
/** Where connections through the exit seem to come from. */
const EXIT_ADDRESS = '127.0.0.9';

let servers: ScrapeServers;
let service: RunningService;
let proxy: Server;
let pool: ServiceProcess;
const tunnels: string[] = [];

/** A forwarding proxy with a password, such as exits are. */
async function startProxy(): Promise<Server> {
  const server = createServer();
  server.on('connect', (request, client) => {
    const [host = '', port = ''] = (request.url ?? '').split(':');
    const { 'proxy-authorization': said } = request.headers;
    if (said !== `Basic ${Buffer.from('tide:mark').toString('base64')}`) {
      client.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
      return;
    }
    tunnels.push(request.url ?? '');
    const upstream = connect({ host, port: Number(port), localAddress: EXIT_ADDRESS }, () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      upstream.pipe(client).pipe(upstream);
    });
    upstream.on('error', () => client.destroy());
    client.on('error', () => upstream.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

/** The real browser-pool with these exits; no page of these tests needs a browser. */
const startPool = (exits: string): Promise<ServiceProcess> =>
  spawnService('browser-pool', MAIN, {
    CHROMIUM_PATH: '/bin/false',
    CHROMIUM_SANDBOX: 'off', // no page is rendered
    EXIT_PROXY_LISTEN: '127.0.0.1:0',
    TIDEMARK_EGRESS_ALLOW: servers.site.host,
    TIDEMARK_EXITS: exits,
  });

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

beforeAll(async () => {
  servers = await openScrape((request, response) => {
    const path = request.url ?? '/';
    if (path === '/robots.txt') return void response.writeHead(404).end();
    const isFromExit = request.socket.remoteAddress === EXIT_ADDRESS;
    response.setHeader('content-type', 'text/html');
    if (path.startsWith('/open') || isFromExit) return void response.end(article(isFromExit ? 'Through' : 'Straight'));
    response.writeHead(403).end('<title>Access denied</title><h1>Access denied</h1><p>You have been blocked.</p>');
  });
  proxy = await startProxy();
  pool = await startPool(`harbour=http://tide:mark@127.0.0.1:${portOf(proxy)};country=DE;kind=residential`);
  service = await servers.replica({ BROWSER_POOL_ADDR: pool.address });
}, 120_000);
afterAll(async () => {
  proxy?.closeAllConnections();
  proxy?.close();
  await servers.close();
  await pool?.close();
});

const scrape = (path: string, more: Parameters<typeof captureOptions>[0] = {}, at = service) => {
  const client = clientIn(servers);
  return client.scrapeAt(at, `${servers.site.origin}${path}`, {
    options: captureOptions({ maxTier: 'http', ...more }),
  });
};

describe('a page the site refuses to a direct fetch', () => {
  it('is captured through an exit, billed as that rung, with the exit and its bytes in the row', async () => {
    const { page, job } = await scrape('/walled');
    expect(page?.row).toMatchObject({ verdict: 'ok', tier: 'http', exit: 'harbour', credits: 2 });
    expect(page?.row?.exitBytes).toBeGreaterThan(500);
    expect(job?.creditsUsed).toBe(2);
    expect(tunnels.at(-1)).toBe(servers.site.host);
  });

  it('stays refused where no exit may be used, free of charge', async () => {
    const { page } = await scrape('/walled', { useProxy: 'never' });
    expect(page?.row).toMatchObject({ verdict: 'blocked', errorCode: 'BLOCKED', credits: 0, exit: undefined });
  });

  it('stays refused where its credits do not cover the exit', async () => {
    const { page } = await scrape('/walled', { maxCredits: 1 });
    expect(page?.row).toMatchObject({ verdict: 'blocked', errorCode: 'BUDGET_EXHAUSTED', credits: 0 });
  });
});

describe('a page that may be fetched straight', () => {
  it('is captured through an exit where exits are used only when needed', async () => {
    const { page } = await scrape('/open');
    expect(page?.row).toMatchObject({ verdict: 'ok', exit: undefined, exitBytes: 0, credits: 1, title: 'Straight' });
  });

  it('goes through an exit if one or a country is requested', async () => {
    expect((await scrape('/open', { useProxy: 'always' })).page?.row).toMatchObject({ title: 'Through', credits: 2 });
    expect((await scrape('/open', { country: 'DE' })).page?.row).toMatchObject({ title: 'Through', exit: 'harbour' });
  });

  it('is refused before anything is fetched where there is no such exit', async () => {
    await expect(scrape('/open', { country: 'FR' })).rejects.toMatchObject({
      code: 'validation',
      message: expect.stringContaining('FR'),
    });
    await expect(scrape('/open', { useProxy: 'always' }, servers.service)).rejects.toMatchObject({
      code: 'validation',
    });
  });
});

describe('exits', () => {
  it('are shown with their health and never with their address', async () => {
    const { exits } = await pool.peer.call(Rpc.listExits, {}, anonymous());
    expect(exits).toEqual([
      expect.objectContaining({
        name: 'harbour',
        country: 'DE',
        kind: 'residential',
        state: 'alive',
        parity: 'unknown',
      }),
    ]);
    expect(exits[0]?.requests).toBeGreaterThan(0);
    expect(exits[0]?.adoptedBy).toContain(servers.site.host);
    expect(JSON.stringify(exits)).not.toMatch(/tide:mark|127\.0\.0\.1:/);
  });

  it('that fail cause no charge, and the row contains the reason', async () => {
    const lost = await startPool(`lost=http://tide:wrong@127.0.0.1:${portOf(proxy)}`);
    const wrong = await servers.replica({ BROWSER_POOL_ADDR: lost.address });
    const { page } = await scrape('/open', { useProxy: 'always' }, wrong);
    expect(page?.row).toMatchObject({ verdict: 'blocked', errorCode: 'NETWORK', credits: 0, signals: ['exit failed'] });
    expect(page?.row?.reason).toBe('the exit refused the credentials (http 407)');
    await until('both attempts to be reported', async () => {
      const { exits } = await lost.peer.call(Rpc.listExits, {}, anonymous());
      return exits[0]?.requests === 2;
    });
    // Without browser-pool it is the same, whatever was known of its exits.
    await lost.kill('SIGKILL');
    const gone = (await scrape('/open', { useProxy: 'always' }, wrong)).page;
    expect(gone?.row).toMatchObject({ verdict: 'blocked', errorCode: 'NETWORK', credits: 0, signals: ['exit failed'] });
    expect((await scrape('/open', {}, wrong)).page?.row).toMatchObject({ verdict: 'ok', exit: undefined, credits: 1 });
    await lost.close();
  });

  it('never lead to an internal address', async () => {
    const before = tunnels.length;
    const client = clientIn(servers);
    const options = captureOptions({ maxTier: 'http', useProxy: 'always', respectRobots: false });
    await expect(client.scrapeAt(service, 'http://127.0.0.1:9/', { options })).rejects.toMatchObject({
      code: 'validation',
    });
    expect(tunnels.length).toBe(before);
  });
});
