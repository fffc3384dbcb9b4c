import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { createServer as createTcpServer, type Server } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from '@jest/globals';
import { createGuard, createHttpClient, MOBILE_USER_AGENT, parseAllowList, USER_AGENT } from '@tidemark/egress';
import { captureOptions } from '@tidemark/testkit';
import { Server as ProxyServer } from 'proxy-chain';
import { toCaptureOptions } from '../domain/capture-options.ts';
import type { Budget, ExitRoute, Fetched, FetchOrder, NoResponse } from '../domain/ports.ts';
import { HttpEngine } from './http-engine.ts';
import { SessionCookies } from './session-cookies.ts';

const ADDRESS = '127.0.0.2';
const OTHER_ADDRESS = '127.0.0.3';
const opened: { close(): unknown }[] = [];
afterEach(async () => {
  for (const resource of opened.splice(0).reverse()) await resource.close();
});

async function listen(server: Server, address: string): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, address, () => resolve()));
  opened.push(server);
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new Error('the server has no port');
  return `http://${address}:${bound.port}`;
}

/** Starts a site that records its requests. */
async function site(listener: RequestListener, address = ADDRESS): Promise<{ url: string; seen: IncomingMessage[] }> {
  const seen: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    seen.push(request);
    listener(request, response);
  });
  opened.push({ close: () => server.closeAllConnections() });
  return { url: `${await listen(server, address)}/`, seen };
}

function engine(sessions?: SessionCookies): HttpEngine {
  const guard = createGuard({ allow: parseAllowList(`${ADDRESS},${OTHER_ADDRESS}`) });
  const client = createHttpClient(guard, { headers: { 'user-agent': USER_AGENT } });
  opened.push(client);
  return new HttpEngine(client, { random: () => 0, ...(sessions === undefined ? {} : { sessions }) });
}

const order = (
  url: string,
  options: Parameters<typeof captureOptions>[0] = {},
  more: Partial<FetchOrder> = {},
): FetchOrder => ({
  url,
  options: toCaptureOptions(captureOptions({ timeoutSeconds: 5, retries: 0, ...options })),
  workspaceId: 'w',
  exit: undefined,
  session: '',
  unlessStill: undefined,
  login: undefined,
  ...more,
});

const route = (name: string, port: number): ExitRoute => ({
  leaseId: 'exl_1',
  name,
  proxy: { key: name, host: ADDRESS, port, username: 'exl_1', password: 'secret' },
});

const budget = (signal = new AbortController().signal): Budget => ({ remainingMs: () => 5_000, signal });

function fetched(result: Fetched | NoResponse): Fetched {
  if (result.kind !== 'fetched') throw new Error(`not fetched: ${result.reason}`);
  return result;
}

/** Responds with these statuses in turn, then with pages. */
function failingFirst(...statuses: number[]): RequestListener {
  const left = [...statuses];
  return (_request, response) => response.writeHead(left.shift() ?? 200).end('page');
}

describe('a request of HttpEngine', () => {
  it('returns the reason phrase and the headers of the last request', async () => {
    const { url } = await site((_, response) => response.writeHead(200, 'Fine').end('<p>tides'));
    const fetched = await engine().fetch(order(url, { headers: { 'X-Own': 'a' } }), budget());
    expect(fetched).toMatchObject({
      kind: 'fetched',
      statusText: 'Fine',
      httpVersion: '1.1',
      requestHeaders: { 'x-own': 'a', 'user-agent': USER_AGENT, accept: expect.stringContaining('text/html') },
    });
  });

  it('has the requested headers, cookies and user agent, and only the user agent at another site', async () => {
    const other = await site((_request, response) => response.end('there'), OTHER_ADDRESS);
    const first = await site((_request, response) => response.writeHead(302, { location: other.url }).end());
    const options = {
      headers: { 'X-Key': 'k', 'Accept-Language': 'de' },
      cookies: { a: '1', b: '2' },
      userAgent: 'Mine',
    };
    await engine().fetch(order(first.url, options), budget());
    expect(first.seen[0]?.headers).toMatchObject({
      'x-key': 'k',
      'accept-language': 'de',
      'user-agent': 'Mine',
      cookie: 'a=1; b=2',
    });
    const sent = other.seen[0]?.headers ?? {};
    expect([sent['x-key'], sent.cookie, sent['user-agent']]).toEqual([undefined, undefined, 'Mine']);
  });

  it('has the user agent of Tidemark for desktop and mobile', async () => {
    const { url, seen } = await site((_request, response) => response.end());
    const fetching = engine();
    await fetching.fetch(order(url), budget());
    await fetching.fetch(order(url, { device: 'mobile' }), budget());
    expect(seen.map(({ headers }) => headers['user-agent'])).toEqual([USER_AGENT, MOBILE_USER_AGENT]);
  });

  it('omits invalid cookies with a warning', async () => {
    const { url, seen } = await site((_request, response) => response.end());
    const cookies = { good: '1', bad: '1; Domain=example', 'b\r\nad': 'x', 'a=b': 'c' };
    const { warnings } = fetched(await engine().fetch(order(url, { cookies }), budget()));
    expect([seen[0]?.headers.cookie, warnings?.length]).toEqual(['good=1', 3]);
  });

  it('is conditional for a known page, and returns the 304', async () => {
    const { url, seen } = await site((_request, response) => response.writeHead(304).end());
    const unlessStill = { etag: '"v1"', lastModified: 'Tue, 01 Jan 2030 00:00:00 GMT' };
    const result = fetched(await engine().fetch(order(url, {}, { unlessStill }), budget()));
    expect([result.status, result.body.length]).toEqual([304, 0]);
    expect(seen[0]?.headers).toMatchObject({ 'if-none-match': '"v1"', 'if-modified-since': unlessStill.lastModified });
  });
});

describe('the cookies of HttpEngine', () => {
  const counting: RequestListener = (request, response) =>
    response.setHeader('set-cookie', 's=1').end(request.headers.cookie);
  const textOf = (result: Fetched | NoResponse) => Buffer.from(fetched(result).body).toString();

  it('exist for one page, or for the pages of one session of one workspace', async () => {
    const { url } = await site(counting);
    const fetching = engine();
    const get = async (more: Partial<FetchOrder>) => textOf(await fetching.fetch(order(url, {}, more), budget()));
    expect([await get({}), await get({})]).toEqual(['', '']);
    expect([await get({ session: 'a' }), await get({ session: 'a' })]).toEqual(['', 's=1']);
    expect([await get({ session: 'b' }), await get({ session: 'a', workspaceId: 'other' })]).toEqual(['', '']);
  });

  it('expire after half an hour of idle time, and long ones are not stored', () => {
    let now = 0;
    const sessions = new SessionCookies(() => now);
    const owner = { workspaceId: 'w', session: 's', exit: '', loginId: '', login: undefined };
    sessions.jarOf(owner).store('http://a.example/', ['a=1', `b=${'x'.repeat(5_000)}`]);
    now += 29 * 60_000;
    expect(sessions.jarOf(owner).header('http://a.example/')).toBe('a=1');
    now += 31 * 60_000;
    expect(sessions.jarOf(owner).header('http://a.example/')).toBeUndefined();
  });
});

describe('a transient failure', () => {
  it('is a request without a response: every response is returned without a retry', async () => {
    for (const status of [429, 500, 502, 503, 504]) {
      const { url, seen } = await site(failingFirst(status));
      const result = fetched(await engine().fetch(order(url, { retries: 3 }), budget()));
      expect([result.status, result.warnings, seen.length]).toEqual([status, [], 1]);
    }
  });

  it('may be a reset connection, and retries end with the timeout of the capture', async () => {
    let connections = 0;
    const server = createTcpServer((socket) => {
      connections += 1;
      socket.on('error', () => {});
      if (connections < 3) socket.resetAndDestroy();
      else socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'));
    });
    const url = await listen(server, ADDRESS);
    expect(fetched(await engine().fetch(order(url, { retries: 5 }), budget())).warnings).toEqual(['retried 2 times']);
    const silent = await site(() => {});
    const startedAt = performance.now();
    const late = await engine().fetch(order(silent.url, { retries: 5, timeoutSeconds: 0.3 }), budget());
    expect(late).toMatchObject({ kind: 'no_response', errorCode: 'TIMEOUT', signal: 'network: timeout' });
    expect(performance.now() - startedAt).toBeLessThan(15_000);
  });

  it('is not retried after the caller’s signal is aborted', async () => {
    const stop = new AbortController();
    const { url } = await site((_request, response) => {
      response.writeHead(429, { 'retry-after': '4' }).end();
      stop.abort(new RangeError('cancelled'));
    });
    await expect(engine().fetch(order(url, { retries: 3 }), budget(stop.signal))).rejects.toThrow('cancelled');
  });
});

describe('a result of HttpEngine', () => {
  it('has the decodable part of a truncated body, with a warning', async () => {
    const whole = gzipSync(Buffer.from('tide '.repeat(10_000)));
    const { url } = await site((_request, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(whole.subarray(0, whole.length - 20)),
    );
    const result = fetched(await engine().fetch(order(url), budget()));
    expect([result.warnings, result.body.length > 0]).toEqual([['truncated body'], true]);
  });

  it('counts the bytes through an exit, and marks the failure of an exit', async () => {
    const proxy = new ProxyServer({ host: ADDRESS, port: 0 });
    await proxy.listen();
    opened.push({ close: () => proxy.close(true) });
    const { url } = await site((_request, response) => response.end('page'));
    const through = route('one', proxy.port);
    const result = fetched(await engine().fetch(order(url, {}, { exit: through }), budget()));
    expect(result.exitBytes).toBeGreaterThan(200);
    const unreachable = route('two', 9);
    const failure = await engine().fetch(order(url, { retries: 3 }, { exit: unreachable }), budget());
    expect(failure).toMatchObject({ kind: 'no_response', errorCode: 'NETWORK', signal: 'exit failed' });
    // An unreachable proxy of browser-pool is not a failure of the exit.
    expect(failure).toMatchObject({ isExitUntested: true });
    expect(JSON.stringify(failure)).not.toContain('secret');
  });
});
