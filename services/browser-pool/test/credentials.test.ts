import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BrowserPoolServiceService, RenderRequest } from '@tidemark/contracts/browser/v1/browser';
import { LeaseExitRequest, ExitServiceService as Rpc } from '@tidemark/contracts/browser/v1/exits';
import { createGuard, createHttpClient, parseAllowList } from '@tidemark/egress';
import type { Peer } from '@tidemark/service';
import { dialAsOperator, fleetEnv, freePort, until } from '@tidemark/testkit';
import { Server as ProxyServer } from 'proxy-chain';
import { chromiumSandbox } from '../../../deploy/local/parts/chromium.ts';
import { serveSite, type TestSite, testChromium } from './test-pool.ts';

const MAIN = resolve(import.meta.dirname, '../src/main.ts');
const FLAGS = ['--conditions=tidemark-source', '--disable-warning=ExperimentalWarning'];
const USERNAME = 'harbourmaster';
const PASSWORD = 'gannet-9313';
/** Every form in which the credentials could appear. */
const CREDENTIALS = new RegExp(
  [USERNAME, PASSWORD, Buffer.from(`${USERNAME}:${PASSWORD}`).toString('base64').slice(0, 20)].join('|'),
);
const CALL = { requestId: 'req_test' };

let site: TestSite;
let proxy: ProxyServer;
let child: ChildProcess;
let peer: Peer;
let logged = '';
const profileDir = mkdtempSync(join(tmpdir(), 'tidemark-credentials-'));

beforeAll(async () => {
  site = await serveSite({ '/': '<h1>Tides</h1>' });
  proxy = new ProxyServer({
    port: 0,
    host: '127.0.0.1',
    prepareRequestFunction: () => ({ requestAuthentication: true }),
  });
  await proxy.listen();
  const grpc = `127.0.0.1:${await freePort()}`;
  child = spawn('setpriv', ['--pdeathsig', 'KILL', '--', process.execPath, ...FLAGS, MAIN], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env['PATH'] ?? '',
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '',
      ...fleetEnv,
      CHROMIUM_PATH: await testChromium(),
      CHROMIUM_SANDBOX: chromiumSandbox(),
      PROFILE_DIR: profileDir,
      GRPC_LISTEN: grpc,
      HTTP_LISTEN: '127.0.0.1:0',
      EXIT_PROXY_LISTEN: '127.0.0.1:0',
      LOG_LEVEL: 'trace',
      TIDEMARK_EGRESS_ALLOW: site.authority,
      TIDEMARK_PARITY_URL: `${site.url}/`,
      TIDEMARK_EXITS: [
        `refusing=http://${USERNAME}:${PASSWORD}@127.0.0.1:${proxy.port};country=DE`,
        `closed=http://${USERNAME}:${PASSWORD}@127.0.0.1:9;country=FR`,
        `socks=socks5://${USERNAME}:${PASSWORD}@127.0.0.1:${proxy.port};country=NL`,
      ].join(','),
    },
  });
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => {
      logged += chunk.toString();
    });
  peer = dialAsOperator('browser-pool', grpc);
  await until('browser-pool', async () => peer.ready().then(() => true));
});
afterAll(async () => {
  await peer?.close();
  child?.kill('SIGKILL');
  await Promise.all([proxy?.close(true), site?.close()]);
  rmSync(profileDir, { recursive: true, force: true });
});

describe('the credentials of exits', () => {
  it('appear in no response, error or log line', async () => {
    const responses: unknown[] = [];
    const client = createHttpClient(createGuard({ allow: parseAllowList('') }));
    for (const country of ['DE', 'FR', 'NL']) {
      const request = LeaseExitRequest.fromPartial({ workspaceId: 'ws_one', host: 'site.test', country });
      const { lease } = await peer.call(Rpc.leaseExit, request, CALL);
      if (lease === undefined) throw new Error(`no exit in ${country}`);
      responses.push(lease);
      const { id, token, proxyHost: host, proxyPort: port } = lease;
      const exit = { key: id, host, port, username: id, password: token };
      const failure: unknown = await client.fetch(`${site.url}/`, { exit }).catch((error: unknown) => error);
      expect(failure).toMatchObject({ kind: 'exit' });
      responses.push(String(failure), (failure as Error).stack);
      const page = RenderRequest.fromPartial({
        device: 'desktop',
        url: `${site.url}/`,
        workspaceId: 'ws_one',
        exitLeaseId: id,
      });
      const rendered = await peer.call(BrowserPoolServiceService.render, page, CALL, { deadlineMs: 40_000 });
      expect(rendered.failure).toBe('exit');
      responses.push(rendered);
      const report = { workspaceId: 'ws_one', leaseId: id, outcome: 'failed' as const, bytes: 0 };
      responses.push(await peer.call(Rpc.reportExit, report, CALL));
      responses.push(await peer.call(Rpc.reportExit, report, CALL).catch((error: unknown) => String(error)));
    }
    await client.close();
    // The parity checks in the background fail as well.
    await until('a failed check', async () => {
      const { exits } = await peer.call(Rpc.listExits, {}, CALL);
      return exits.some(({ successRate, requests }) => requests === 1 && successRate < 1);
    });
    responses.push(await peer.call(Rpc.listExits, {}, CALL), await peer.call(Rpc.listExitCountries, {}, CALL));
    expect(JSON.stringify(responses)).not.toMatch(CREDENTIALS);
    expect(logged).toContain('service is listening');
    expect(logged).not.toMatch(CREDENTIALS);
    // Tokens are credentials as well.
    for (const token of JSON.stringify(responses).matchAll(/"token":"([^"]+)"/g))
      expect(logged).not.toContain(token[1]);
  }, 120_000);

  it('do not appear in the error of an invalid configuration', async () => {
    const broken = spawn(process.execPath, [...FLAGS, MAIN], {
      env: {
        ...fleetEnv,
        CHROMIUM_PATH: '/bin/false',
        CHROMIUM_SANDBOX: chromiumSandbox(),
        PROFILE_DIR: profileDir,
        GRPC_LISTEN: '127.0.0.1:0',
        HTTP_LISTEN: '127.0.0.1:0',
        TIDEMARK_EXITS: `ftp=ftp://${USERNAME}:${PASSWORD}@127.0.0.1:21`,
      },
    });
    let text = '';
    for (const stream of [broken.stdout, broken.stderr])
      stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
    const code = await new Promise((end) => broken.once('close', end));
    expect(code).not.toBe(0);
    expect(text).toContain('entry 1: url must be an http://, https:// or socks5:// address');
    expect(text).not.toMatch(CREDENTIALS);
  });
});
