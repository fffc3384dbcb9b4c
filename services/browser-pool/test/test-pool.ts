import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  RenderRequest,
  type RenderResponse,
  BrowserPoolServiceService as Rpc,
  type StatusResponse,
} from '@tidemark/contracts/browser/v1/browser';
import { type ExitLease, ExitServiceService as ExitRpc, LeaseExitRequest } from '@tidemark/contracts/browser/v1/exits';
import { type Peer, start } from '@tidemark/service';
import { dialAsOperator, fleetEnv, until } from '@tidemark/testkit';
import { chromiumPath, chromiumSandbox } from '../../../deploy/local/parts/chromium.ts';
import { TOOLS_DIR } from '../../../deploy/local/stack-context.ts';
import { browserPool } from '../src/service.ts';
import { browsersIn } from './processes.ts';

export interface TestPool {
  readonly profileDir: string;
  readonly peer: Peer;
  render(url: string, more?: Partial<RenderRequest>): Promise<RenderResponse>;
  status(): Promise<StatusResponse>;
  /** Leases an exit of the country for the default workspace. @throws Error if there is none */
  lease(country?: string, more?: Partial<LeaseExitRequest>): Promise<ExitLease>;
  /** Process ids of the running browsers of this pool. */
  browserPids(): number[];
  close(): Promise<void>;
}

/** Returns the configured Chromium, else that of the local stack. */
export const testChromium = (): Promise<string> => chromiumPath(TOOLS_DIR, () => undefined);

/** Starts browser-pool with Chromium. It may reach the given sites and no other address of this machine. */
export async function startTestPool(
  sites: readonly TestSite[],
  env: Readonly<Record<string, string>> = {},
): Promise<TestPool> {
  const profileDir = mkdtempSync(join(tmpdir(), 'tidemark-pool-test-'));
  const running = await start(browserPool, {
    ...fleetEnv,
    CHROMIUM_PATH: await testChromium(),
    CHROMIUM_SANDBOX: chromiumSandbox(),
    TIDEMARK_EGRESS_ALLOW: sites.map(({ authority }) => authority).join(','),
    PROFILE_DIR: profileDir,
    GRPC_LISTEN: '127.0.0.1:0',
    HTTP_LISTEN: '127.0.0.1:0',
    EXIT_PROXY_LISTEN: '127.0.0.1:0',
    LOG_LEVEL: 'silent',
    ...env,
  });
  const peer = dialAsOperator('browser-pool', `127.0.0.1:${running.grpcPort}`);
  const defaults = {
    timeoutMs: 15_000,
    screenshot: false,
    device: 'desktop',
    blockResources: false,
    workspaceId: 'ws_one',
  } as const;
  return {
    profileDir,
    peer,
    render: (url, more) =>
      peer.call(
        Rpc.render,
        RenderRequest.fromPartial({ url, ...defaults, ...more }),
        { requestId: 'req_test' },
        { deadlineMs: 60_000 },
      ),
    async lease(country = '', more = {}) {
      const { workspaceId } = defaults;
      const request = LeaseExitRequest.fromPartial({ workspaceId, host: 'site.test', country, ...more });
      const { lease } = await peer.call(ExitRpc.leaseExit, request, { requestId: 'req_test' });
      if (lease === undefined) throw new Error(`no exit in "${country}" could be leased`);
      return lease;
    },
    status: () => peer.call(Rpc.status, {}, { requestId: 'req_test' }),
    browserPids: () => browsersIn(profileDir),
    async close() {
      await peer.close();
      await running.close();
      rmSync(profileDir, { recursive: true, force: true });
    },
  };
}

export interface TestSite {
  readonly authority: string;
  readonly url: string;
  /** Requested paths, in order. */
  readonly requested: string[];
  readonly server: Server;
  close(): Promise<void>;
}

export type Pages = Readonly<Record<string, string | RequestListener>>;

/** Serves a site: paths with their HTML, or with a listener. */
export async function serveSite(pages: Pages, host = '127.0.0.2'): Promise<TestSite> {
  const requested: string[] = [];
  const server = createServer((request, response) => {
    const path = (request.url ?? '/').split('?', 1)[0] ?? '/';
    requested.push(request.url ?? '/');
    const page = pages[path];
    if (page === undefined) response.writeHead(404, { 'content-type': 'text/html' }).end('<p>no such page</p>');
    else if (typeof page === 'string') response.setHeader('content-type', 'text/html; charset=utf-8').end(page);
    else page(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const authority = `${host}:${portOf(server.address())}`;
  return { authority, url: `http://${authority}`, requested, server, close: () => closed(server) };
}

/** Starts an internal server that counts its connections. */
export async function recordConnections(): Promise<{ port: number; count(): number; close(): Promise<void> }> {
  let count = 0;
  const server = createTcpServer((socket) => {
    count += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: portOf(server.address()),
    count: () => count,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** Polls until the test holds. @throws Error after `withinMs` */
export async function eventually(test: () => boolean | Promise<boolean>, withinMs = 60_000): Promise<void> {
  await until(String(test), test, { withinMs });
}

function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}

function portOf(address: AddressInfo | string | null): number {
  if (address === null || typeof address === 'string') throw new Error('not listening on a port');
  return address.port;
}
