import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { PageRow } from '@tidemark/api';
import { errorOf } from '../harness/api.ts';
import { sharedFleet } from '../harness/fleet.ts';
import { startRecorder } from '../harness/recorder.ts';
import type { Workspace } from '../harness/workspaces.ts';
import { startWeb } from '../web/server.ts';
import { internalUrls, loopbackSpellings, ssrfUrls } from './internal.ts';

const fleet = sharedFleet();
const web = await startWeb();
const recorder = await startRecorder();
const internal = `http://127.0.0.1:${recorder.port}/`;
let hostile: Server;
let workspace: Workspace;

beforeAll(async () => {
  workspace = await fleet.workspaces.make();
  // A site whose robots.txt and pages refer to internal addresses.
  hostile = createServer((request, response) => {
    if (request.url === '/robots.txt') return response.writeHead(302, { location: internal }).end();
    const html = `<meta http-equiv="refresh" content="0;url=${internal}"><base href="${internal}"><link rel="icon" href="${internal}"><p>Gone inside.`;
    return response
      .writeHead(200, { 'content-type': 'text/html', link: `<${internal}>; rel=preload`, refresh: `0;url=${internal}` })
      .end(html);
  });
  await new Promise<void>((resolve) => hostile.listen(0, '127.0.0.2', resolve));
  hostile.unref();
});
afterAll(async () => {
  hostile.close();
  await web.close();
  recorder.close();
  await fleet.close();
});

const hostileUrl = (path: string) => `http://127.0.0.2:${(hostile.address() as AddressInfo).port}${path}`;

/** Returns the URLs that were not rejected as invalid input. */
async function accepted(urls: readonly string[]): Promise<string[]> {
  const let_in: string[] = [];
  for (const url of urls) {
    const { status, text } = await workspace.writer.post('/scrape', { url, config: { max_tier: 'http' } });
    if (status !== 422) let_in.push(`${url} → ${status} ${text.slice(0, 200)}`);
  }
  return let_in;
}

describe('no connection is opened to an internal address', () => {
  test('for a requested URL in any notation', async () => {
    expect(await accepted(loopbackSpellings(recorder.port))).toEqual([]);
    expect(recorder.connections()).toBe(0);
  });

  test('for an address of another scheme, an invalid one, or one with a hidden host', async () => {
    expect(await accepted(ssrfUrls())).toEqual([]);
  }, 60_000);

  test('for an address or a name of every internal network', async () => {
    expect(await accepted(internalUrls())).toEqual([]);
  }, 60_000);

  test('for a redirect of any status and notation', async () => {
    const rows: PageRow[] = [];
    for (const spelled of [
      ...loopbackSpellings(recorder.port),
      'http://169.254.169.254/latest/',
      'file:///etc/passwd',
      'ftp://127.0.0.1/',
    ]) {
      const { page } = await workspace.writer.capture(web.url(`/redirect/to?to=${encodeURIComponent(spelled)}`));
      rows.push(page);
    }
    expect(rows.filter(({ verdict, credits }) => verdict !== 'blocked' || credits !== 0)).toEqual([]);
    expect(rows.filter(({ markdown }) => markdown?.includes('internal secret'))).toEqual([]);
    expect(recorder.connections()).toBe(0);
  });

  test('for a robots.txt that redirects to an internal address', async () => {
    const { page } = await workspace.writer.capture(hostileUrl('/page'));
    expect(page).toMatchObject({ verdict: 'blocked', errorCode: 'BLOCKED', credits: 0 });
    expect(recorder.connections()).toBe(0);
  });

  test('for a refresh, base, icon or preload of a page', async () => {
    const { page } = await workspace.writer.capture(hostileUrl('/page'), {
      config: { respect_robots: false, max_tier: 'http' },
    });
    expect(page.markdown ?? '').not.toContain('internal secret');
    expect(recorder.connections()).toBe(0);
  });
});

describe('a port of the fleet itself is refused at an address that the operator allowed', () => {
  // Every address of 127.0.0.0/8 reaches this machine; the allow-list of the tests holds this one.
  const ports: Record<string, number> = JSON.parse(readFileSync(join(fleet.dataDir, 'ports.json'), 'utf8'));
  const own = Object.entries(ports).filter(([name]) => name !== 'sample-site');
  const address = (port: number, path = '/'): string => `http://127.0.0.2:${port}${path}`;
  const refused = { detail: [expect.objectContaining({ type: 'address_refused' })] };

  test('as a page, for the gateway, gRPC, metrics, PostgreSQL, NATS, Redis and the CONNECT endpoint', async () => {
    for (const name of ['rest', 'identity.grpc', 'scrape.http', 'postgres', 'nats', 'redis', 'exit-proxy'])
      expect(own.map(([known]) => known)).toContain(name);
    const responses = await Promise.all(
      own.map(([, port]) => workspace.writer.post('/scrape', { url: address(port) })),
    );
    const let_in = own.filter((_, index) => responses[index]?.status !== 422).map(([name]) => name);
    expect(let_in).toEqual([]);
    expect(responses[0]?.body).toMatchObject(refused);
  });

  test('as a target of a redirect, in both engines', async () => {
    const to = encodeURIComponent(address(ports['rest'] ?? 0, '/v1/docs'));
    for (const render_js of ['never', 'always']) {
      const { page } = await workspace.writer.capture(web.url(`/redirect/to?to=${to}`), {
        config: { render_js, respect_robots: false },
      });
      expect(page).toMatchObject({ verdict: 'blocked', credits: 0 });
    }
  });

  test('as a receiver of webhooks and as a site to crawl or map', async () => {
    const url = address(ports['rest'] ?? 0, '/v1/scrape');
    const crawl = await workspace.writer.post('/crawl', { url: web.url('/'), webhook: { url } });
    const seed = await workspace.writer.post('/crawl', { url });
    const map = await workspace.writer.post('/map', { url });
    expect([crawl, seed, map].map(({ status, body }) => ({ status, body }))).toEqual(
      Array.from({ length: 3 }, () => ({ status: 422, body: expect.objectContaining(refused) })),
    );
  });
});

describe('the browser opens no connection to an internal address', () => {
  const always = { config: { render_js: 'always', respect_robots: false, timeout_seconds: 8 } };

  test.each(['http://127.0.0.1', 'http://localhost', 'http://[::1]', 'http://0.0.0.0'])(
    'for scripts, frames, images and sockets of a page at %s',
    async (host) => {
      const to = `${host}:${recorder.port}`;
      const { page } = await workspace.writer.capture(web.url(`/prying-shell?to=${encodeURIComponent(to)}`), always);
      expect(page.markdown).toContain('nothing was read');
      expect(page.markdown).not.toContain('internal secret');
      expect(recorder.connections()).toBe(0);
    },
    40_000,
  );

  test('for a redirect or a refresh', async () => {
    const moved = await workspace.writer.capture(web.url(`/redirect/to?to=${encodeURIComponent(internal)}`), always);
    expect(moved.page).toMatchObject({ verdict: 'blocked', credits: 0 });
    const refreshed = await workspace.writer.capture(hostileUrl('/page'), always);
    expect(refreshed.page.markdown ?? '').not.toContain('internal secret');
    expect(recorder.connections()).toBe(0);
  });
});

describe('responses do not disclose open ports of the network', () => {
  /** Returns an unused port: that of a server that has just been closed. */
  const closedPort = async (): Promise<number> => {
    const gone = await startRecorder();
    gone.close();
    return gone.port;
  };

  test('an open and a closed port are rejected with the same message', async () => {
    const said = async (port: number) => {
      const response = await workspace.writer.post('/scrape', { url: `http://127.0.0.1:${port}/` });
      return { ...errorOf(response), request_id: '' };
    };
    expect(await said(recorder.port)).toEqual(await said(await closedPort()));
  });

  test('redirects to an open and a closed port have the same reason in the row', async () => {
    const said = async (port: number) => {
      const target = encodeURIComponent(`http://127.0.0.1:${port}/`);
      const { page } = await workspace.writer.capture(web.url(`/redirect/to?to=${target}`));
      return [page.verdict, page.errorCode, page.reason, page.signals, page.httpStatus, page.credits];
    };
    expect(await said(recorder.port)).toEqual(await said(await closedPort()));
  });
});
