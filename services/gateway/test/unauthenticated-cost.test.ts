import { once } from 'node:events';
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { connect, type Socket } from 'node:net';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { until } from '@tidemark/testkit';
import { KEY, MAX_BODY_BYTES, startGateway } from './start-gateway.ts';

type Gateway = Awaited<ReturnType<typeof startGateway>>;

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

interface ApiResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Sends a request without a client that decodes or adds headers. */
async function send(
  { port }: Pick<Gateway, 'port'>,
  path: string,
  { method = 'GET', headers = {}, body }: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<ApiResponse> {
  const request = httpRequest({ host: '127.0.0.1', port, path, method, headers, agent: false });
  request.end(body);
  const [response] = await once(request, 'response');
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  return { status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks) };
}

const withKey = { authorization: `Bearer ${KEY}` };
const codeOf = ({ body }: ApiResponse): unknown => JSON.parse(body.toString()).code;

describe.each(['/v1/docs', '/v1/openapi.json'])('%s', (path) => {
  it('is the same document for every Host, with one entity tag per encoding', async () => {
    const plain = await send(gateway, path);
    const before = gateway.state.openApiCalls;
    const hosts = ['a.example', 'b.example:8080', 'x'.repeat(300), "'><script>", '[::1]'];
    for (const host of hosts) {
      const response = await send(gateway, path, { headers: { host } });
      expect(response).toMatchObject({ status: 200, headers: { etag: plain.headers.etag } });
      expect(response.body.equals(plain.body)).toBe(true);
    }
    expect(gateway.state.openApiCalls).toBe(before);
    expect(plain.headers).toMatchObject({ 'cache-control': 'public, max-age=300', vary: 'Accept-Encoding' });
  });

  it('is compressed as the client accepts it, and not sent again to a client that has it', async () => {
    const plain = await send(gateway, path);
    const zipped = await send(gateway, path, { headers: { 'accept-encoding': 'gzip' } });
    const brotli = await send(gateway, path, { headers: { 'accept-encoding': 'gzip, deflate, br' } });
    expect([zipped.headers['content-encoding'], brotli.headers['content-encoding']]).toEqual(['gzip', 'br']);
    expect(gunzipSync(zipped.body).equals(plain.body)).toBe(true);
    expect(brotliDecompressSync(brotli.body).equals(plain.body)).toBe(true);
    expect(brotli.body.length * 4).toBeLessThan(plain.body.length);
    const tags = [plain, zipped, brotli].map(({ headers }) => headers.etag ?? '');
    expect(new Set(tags).size).toBe(3);
    const again = { 'accept-encoding': 'gzip', 'if-none-match': tags[1] ?? '' };
    const cached = await send(gateway, path, { headers: again });
    expect([cached.status, cached.body.length]).toEqual([304, 0]);
  });
});

describe('links in responses', () => {
  it('use a valid Host header, and a request with an invalid one is refused', async () => {
    const valid = await send(gateway, '/v1/me', { headers: { ...withKey, host: 'api.example:8080' } });
    expect(valid.headers.location).toBe('http://api.example:8080/v1');
    for (const host of ['x'.repeat(256), 'a b', 'a/b', "a'b", 'user@a', 'a:999999'])
      expect(await send(gateway, '/v1/me', { headers: { ...withKey, host } })).toMatchObject({ status: 400 });
  });

  it('use PUBLIC_URL where it is configured, whatever the Host header is', async () => {
    const own = await startGateway({ publicUrl: 'https://api.example/v1' });
    const { headers } = await send(own, '/v1/me', { headers: { ...withKey, host: 'a/b' } });
    expect(headers.location).toBe('https://api.example/v1');
    await own.close();
  });
});

it('/readyz checks the services once for many requests', async () => {
  const own = await startGateway();
  const responses = await Promise.all(Array.from({ length: 20 }, () => send(own, '/readyz')));
  expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200));
  expect(own.state.readyChecks).toBeLessThan(20);
  await own.close();
});

describe('a failed authentication', () => {
  it('is limited per address, and a key that was valid before still works', async () => {
    const own = await startGateway({ failures: 3 });
    expect((await send(own, '/v1/me', { headers: withKey })).status).toBe(200);
    const attempts = ['service_a', 'service_b', 'service_c', 'service_d'].map((key) => `Bearer ${key}`);
    const statuses: number[] = [];
    for (const authorization of attempts)
      statuses.push((await send(own, '/v1/me', { headers: { authorization } })).status);
    expect(statuses).toEqual([401, 401, 401, 429]);
    const calls = own.identity.count;
    const refused = await send(own, '/v1/me');
    expect([refused.status, codeOf(refused)]).toEqual([429, 'rate_limited']);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect(own.identity.count).toBe(calls);
    expect((await send(own, '/v1/me', { headers: withKey })).status).toBe(200);
    await own.close();
  });

  it.each([
    ['the address of the connection without a trusted proxy', '', [401, 429]],
    ['X-Forwarded-For of a trusted proxy', 'loopback', [401, 401]],
  ])('is counted for %s', async (_, trustedProxies, statuses) => {
    const own = await startGateway({ failures: 1, trustedProxies });
    const from = async (address: string) =>
      (await send(own, '/v1/me', { headers: { 'x-forwarded-for': address } })).status;
    expect([await from('203.0.113.1'), await from('203.0.113.2')]).toEqual(statuses);
    await own.close();
  });

  it('is answered before the body is read', async () => {
    const body = '{'.repeat(MAX_BODY_BYTES * 3);
    const json = { 'content-type': 'application/json' };
    expect(await send(gateway, '/v1/me/keys', { method: 'POST', headers: json, body })).toMatchObject({ status: 401 });
    const headers = { ...json, ...withKey };
    expect(await send(gateway, '/v1/me/keys', { method: 'POST', headers, body })).toMatchObject({ status: 413 });
    expect(await send(gateway, '/v1/me/keys', { method: 'POST', headers, body: '{' })).toMatchObject({ status: 400 });
    expect(await send(gateway, '/v1/nowhere', { method: 'POST', headers: json, body })).toMatchObject({ status: 404 });
  });
});

describe('connections', () => {
  const open = async ({ port }: Gateway): Promise<Socket> => {
    const socket = connect({ host: '127.0.0.1', port }).on('error', () => undefined);
    await once(socket, 'connect');
    return socket;
  };
  const closed = (socket: Socket): Promise<unknown> => (socket.closed ? Promise.resolve() : once(socket, 'close'));

  it('of one address are limited, and a closed one makes room', async () => {
    const own = await startGateway({ maxConnectionsPerAddress: 2 });
    const held = [await open(own), await open(own)];
    const third = await open(own);
    third.resume();
    await closed(third);
    held[0]?.destroy();
    await until('a connection to be accepted', async () => {
      const response = await send(own, '/healthz').catch(() => undefined);
      return response?.status === 200;
    });
    held[1]?.destroy();
    await own.close();
  });

  it('of a trusted proxy are not limited', async () => {
    const own = await startGateway({ maxConnectionsPerAddress: 1, trustedProxies: '127.0.0.0/8' });
    const held = [await open(own), await open(own)];
    expect((await send(own, '/healthz')).status).toBe(200);
    for (const socket of held) socket.destroy();
    await own.close();
  });

  it.each([
    ['headers', 'POST /v1/me/keys HTTP/1.1\r\n', 'X: y\r\n'],
    [
      'a body',
      `POST /v1/me/keys HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${KEY}\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n`,
      ' ',
    ],
    ['nothing', '', ''],
  ])('that send %s slowly are closed after the time limit', async (_, start, more) => {
    const own = await startGateway({ headersTimeoutMs: 500, requestTimeoutMs: 700 });
    const slow = await open(own);
    slow.resume();
    slow.write(start);
    const drip = setInterval(() => slow.write(more), 100);
    await closed(slow);
    clearInterval(drip);
    await own.close();
  });
});

describe('JSON', () => {
  const large = { text: 'The harbour. '.repeat(200) };
  const gzip = { ...withKey, 'accept-encoding': 'gzip, br' };

  it('above 1 KB is compressed if the client accepts gzip', async () => {
    gateway.state.body = large;
    const zipped = await send(gateway, '/v1/me', { headers: gzip });
    expect(zipped.headers).toMatchObject({
      'content-encoding': 'gzip',
      'content-type': 'application/json; charset=utf-8',
    });
    expect(JSON.parse(gunzipSync(zipped.body).toString())).toEqual(large);
    for (const encoding of ['identity', 'gzip;q=0', 'deflate']) {
      const plain = await send(gateway, '/v1/me', { headers: { ...withKey, 'accept-encoding': encoding } });
      expect(plain.headers).not.toHaveProperty('content-encoding');
      expect(JSON.parse(plain.body.toString())).toEqual(large);
    }
    gateway.state.body = { text: 'short' };
    expect((await send(gateway, '/v1/me', { headers: gzip })).headers).not.toHaveProperty('content-encoding');
  });

  it.each(['secret', 'webhookSecret'])('with a value of %s is never compressed', async (field) => {
    gateway.state.body = { ...large, [field]: 'service_new' };
    expect((await send(gateway, '/v1/me', { headers: gzip })).headers).not.toHaveProperty('content-encoding');
    gateway.state.body = { ...large, [field]: null };
    expect((await send(gateway, '/v1/me', { headers: gzip })).headers).toHaveProperty('content-encoding');
  });
});
