import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  BrowserPoolServiceService as face,
  RenderRequest,
  type RenderResponse,
  type StatusResponse,
} from '@tidemark/contracts/browser/v1/browser';
import { type ExitLease, ExitServiceService as ExitRpc, LeaseExitRequest } from '@tidemark/contracts/browser/v1/exits';
import { dial, type Peer, start } from '@tidemark/service';
import { until } from '@tidemark/testkit';
import { chromiumPath } from '../../../deploy/local/parts/chromium.ts';
import { TOOLS_DIR } from '../../../deploy/local/stack-context.ts';
import { browserPool } from '../src/service.ts';
import { browsersIn } from './processes.ts';

export interface PoolUnderTest {
  readonly profileDir: string;
  readonly peer: Peer;
  render(url: string, more?: Partial<RenderRequest>): Promise<RenderResponse>;
  status(): Promise<StatusResponse>;
  /** Leases an exit of this country for the workspace the renders belong to. @throws Error where there is none */
  lease(country?: string, more?: Partial<LeaseExitRequest>): Promise<ExitLease>;
  /** The browsers of this pool that run now. */
  browserPids(): number[];
  close(): Promise<void>;
}

/** The Chromium of the tests: the one configured, else the one the local stack unpacks. */
export const testChromium = (): Promise<string> => chromiumPath(TOOLS_DIR, () => undefined);

/** A pool of its own on real Chromium, reached through its gRPC face; may reach the sites named and nothing else on this machine. */
export async function startPool(
  sites: readonly Site[],
  env: Readonly<Record<string, string>> = {},
): Promise<PoolUnderTest> {
  const profileDir = mkdtempSync(join(tmpdir(), 'tidemark-pool-test-'));
  const running = await start(browserPool, {
    CHROMIUM_PATH: await testChromium(),
    TIDEMARK_EGRESS_ALLOW: sites.map(({ authority }) => authority).join(','),
    PROFILE_DIR: profileDir,
    GRPC_LISTEN: '127.0.0.1:0',
    HTTP_LISTEN: '127.0.0.1:0',
    EXIT_PROXY_LISTEN: '127.0.0.1:0',
    LOG_LEVEL: 'silent',
    ...env,
  });
  const peer = dial('browser-pool', `127.0.0.1:${running.grpcPort}`);
  const usual = { timeoutMs: 15_000, screenshot: false, blockResources: false, workspaceId: 'ws_one' };
  return {
    profileDir,
    peer,
    render: (url, more) =>
      peer.call(
        face.render,
        RenderRequest.fromPartial({ url, ...usual, ...more }),
        { requestId: 'req_test' },
        { deadlineMs: 60_000 },
      ),
    async lease(country = '', more = {}) {
      const { workspaceId } = usual;
      const request = LeaseExitRequest.fromPartial({ workspaceId, host: 'site.test', country, ...more });
      const { lease } = await peer.call(ExitRpc.leaseExit, request, { requestId: 'req_test' });
      if (lease === undefined) throw new Error(`no exit in "${country}" could be leased`);
      return lease;
    },
    status: () => peer.call(face.status, {}, { requestId: 'req_test' }),
    browserPids: () => browsersIn(profileDir),
    async close() {
      await peer.close();
      await running.close();
      rmSync(profileDir, { recursive: true, force: true });
    },
  };
}

export interface Site {
  readonly authority: string;
  readonly url: string;
  /** Paths asked for, in order. */
  readonly asked: string[];
  readonly server: Server;
  close(): Promise<void>;
}

export type Pages = Readonly<Record<string, string | RequestListener>>;

/** A site on an address of this machine that a test allows: paths with their HTML, or with a listener. */
export async function serveSite(pages: Pages, host = '127.0.0.2'): Promise<Site> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const path = (request.url ?? '/').split('?', 1)[0] ?? '/';
    asked.push(request.url ?? '/');
    const page = pages[path];
    if (page === undefined) response.writeHead(404, { 'content-type': 'text/html' }).end('<p>no such page</p>');
    else if (typeof page === 'string') response.setHeader('content-type', 'text/html; charset=utf-8').end(page);
    else page(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const authority = `${host}:${portOf(server.address())}`;
  return { authority, url: `http://${authority}`, asked, server, close: () => closed(server) };
}

/** Something internal: counts every connection it gets, whatever comes over it. */
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
export async function eventually(test: () => boolean | Promise<boolean>, withinMs = 15_000): Promise<void> {
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
