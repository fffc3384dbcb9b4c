import { afterEach, describe, expect, it } from '@jest/globals';
import { AbortedError, Tidemark, TidemarkError } from '@tidemark/sdk';
import { envelope, type FakeServer, failure, sendJson, startFakeServer } from './fake-server.ts';

let server: FakeServer;
afterEach(() => server.close());

const clientOf = (more: Readonly<Record<string, unknown>> = {}) =>
  new Tidemark({ apiKey: 'service_secret', baseUrl: server.baseUrl, ...more });

/** Responds with these statuses in turn, and then with success. Retry-After keeps the tests short. */
async function failing(...statuses: readonly number[]): Promise<void> {
  server = await startFakeServer((_, response, count) => {
    const status = statuses[count - 1];
    if (status === undefined) sendJson(response, 200, envelope({ data: [{ url: 'https://example.com/' }] }));
    else if (status === 0) response.destroy();
    else sendJson(response, status, failure('unavailable'), { 'retry-after': '0' });
  });
}

const caught = async (call: Promise<unknown>): Promise<TidemarkError> => {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof TidemarkError)) throw new Error(`expected a TidemarkError, got ${error}`);
  return error;
};

describe('a call of the SDK', () => {
  it.each([429, 502, 503, 504, 0])('is repeated twice after status %d if it is a GET', async (status) => {
    await failing(status, status);
    await clientOf().call('GET /me');
    expect(server.seen.map(({ url }) => url)).toEqual(['/v1/me', '/v1/me', '/v1/me']);
  });

  it('fails with the typed error of the third response', async () => {
    await failing(503, 503, 503, 503);
    const error = await caught(clientOf().call('GET /me'));
    expect(error).toMatchObject({ code: 'unavailable', status: 503, requestId: 'req_1', retryAfterMs: 0 });
    expect(server.seen).toHaveLength(3);
  });

  it('is not repeated after other statuses', async () => {
    await failing(500);
    expect(await caught(clientOf().call('GET /me'))).toMatchObject({ status: 500 });
    expect(server.seen).toHaveLength(1);
  });

  it('repeats a POST with the same Idempotency-Key where the route accepts one', async () => {
    await failing(503, 0);
    await clientOf().scrape('https://example.com/');
    const keys = server.seen.map(({ headers }) => headers['idempotency-key']);
    expect(keys).toEqual([keys[0], keys[0], keys[0]]);
    expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
    expect(server.seen[2]?.body).toBe('{"url":"https://example.com/"}');
  });

  it('makes another Idempotency-Key for each call', async () => {
    await failing();
    await clientOf().scrape('https://example.com/');
    await clientOf().scrape('https://example.com/');
    const [first, second] = server.seen.map(({ headers }) => headers['idempotency-key']);
    expect(first).not.toBe(second);
  });

  it('does not repeat a POST of a route without idempotency keys', async () => {
    await failing(503);
    expect(await caught(clientOf().projects.of('prj_1').run())).toMatchObject({ status: 503 });
    expect(server.seen).toHaveLength(1);
  });

  it('ends with the code timeout if no response arrives in time, and is not repeated', async () => {
    server = await startFakeServer(() => undefined);
    expect(await caught(clientOf().call('GET /me', { timeoutMs: 50 }))).toMatchObject({ code: 'timeout', status: 0 });
    expect(server.seen).toHaveLength(1);
  });

  it('ends with an AbortedError, one of its own errors, whose cause is the reason of the signal', async () => {
    server = await startFakeServer(() => undefined);
    const stop = new AbortController();
    const call = clientOf().call('GET /me', { signal: stop.signal });
    const reason = new Error('stopped');
    stop.abort(reason);
    const error = await caught(call);
    expect(error).toBeInstanceOf(AbortedError);
    expect(error).toBeInstanceOf(TidemarkError);
    expect(error).toMatchObject({ code: 'aborted', name: 'AbortError', cause: reason });
    expect(await caught(clientOf().call('GET /me', { signal: stop.signal }))).toMatchObject({ code: 'aborted' });
    expect(await caught(clientOf().crawl.of('run_1').wait({ signal: stop.signal }))).toMatchObject({ code: 'aborted' });
  });

  it('reports a page of a proxy as unexpected, with what to check', async () => {
    server = await startFakeServer((_, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end('<p>'),
    );
    const error = await caught(clientOf().call('GET /me'));
    expect(error).toMatchObject({ code: 'unexpected', message: expect.stringContaining('check the base URL') });
  });

  it('escapes path parameters, joins lists by commas and leaves undefined values out', async () => {
    await failing();
    const query = { q: 'a b', limit: undefined, fields: 'url' };
    await clientOf().call('GET /projects/{id}/pages', { path: { id: 'a/b' }, query });
    expect(server.seen[0]?.url).toBe('/v1/projects/a%2Fb/pages?q=a+b&fields=url');
  });

  it.each([
    ['.', 'a dot segment'],
    ['..', 'a dot segment'],
    ['', 'empty'],
    ['prj_1\n', 'a control character'],
    ['prj_\u0000', 'a control character'],
    ['\ud800', 'a control character'],
    [undefined, 'missing'],
  ])('refuses the path value %j before a request is sent', async (id, fault) => {
    await failing();
    const calls = [
      clientOf().call('GET /projects/{id}', { path: { id: id as string } }),
      clientOf()
        .projects.of(id as string)
        .delete(),
      clientOf()
        .crawl.of(id as string)
        .read(),
    ];
    for (const call of calls)
      expect(await caught(call)).toMatchObject({ code: 'invalid_path', message: expect.stringContaining(fault) });
    expect(server.seen).toEqual([]);
  });

  it('sends any other value as one segment of the path', async () => {
    await failing();
    for (const id of ['...', '../me', '%2e%2e', 'a?b#c', '日本', '.hidden'])
      await clientOf().call('GET /projects/{id}', { path: { id } });
    expect(server.seen.map(({ url }) => decodeURIComponent(url.replace('/v1/projects/', '')))).toEqual([
      '...',
      '../me',
      '%2e%2e',
      'a?b#c',
      '日本',
      '.hidden',
    ]);
    for (const { url } of server.seen) expect(url).toMatch(/^\/v1\/projects\/[^/?#]+$/);
  });

  it('acts in the sub-account that the client names', async () => {
    await failing();
    await clientOf({ workspace: 'ws_1' }).call('GET /me');
    expect(server.seen[0]?.headers['x-service-tenant']).toBe('ws_1');
  });

  it('passes each response to onResponse', async () => {
    await failing(503);
    const statuses: number[] = [];
    await clientOf({ onResponse: ({ status }: Response) => statuses.push(status) }).call('GET /me');
    expect(statuses).toEqual([503, 200]);
  });

  it('returns a file as a response whose body is a stream', async () => {
    server = await startFakeServer((_, response) =>
      response.writeHead(200, { 'content-type': 'application/x-ndjson' }).end('{"url":1}\n'),
    );
    const file = await clientOf().projects.of('prj_1').export({ dataset: 'pages' });
    expect(await file.text()).toBe('{"url":1}\n');
  });
});

describe('a list of the SDK', () => {
  it('is requested page by page as it is consumed, and no further after a break', async () => {
    server = await startFakeServer((request, response) => {
      const page = Number(new URL(request.url, 'http://x').searchParams.get('cursor') ?? 0);
      const data = [{ id: `prj_${page}a` }, { id: `prj_${page}b` }];
      sendJson(response, 200, { data, next: 'https://elsewhere.example/steal', cursor: String(page + 1) });
    });
    const ids: string[] = [];
    for await (const { id } of clientOf().projects.list()) {
      ids.push(id);
      if (ids.length === 3) break;
    }
    expect(ids).toEqual(['prj_0a', 'prj_0b', 'prj_1a']);
    expect(server.seen.map(({ url }) => url)).toEqual(['/v1/projects', '/v1/projects?cursor=1']);
  });

  it('throws stalled_cursor if the server returns the cursor that was sent', async () => {
    server = await startFakeServer((_, response) => sendJson(response, 200, { data: [{}], next: 'x', cursor: 'same' }));
    const read = async () => {
      for await (const _ of clientOf().list('GET /webhooks')) void _;
    };
    expect(await caught(read())).toMatchObject({ code: 'stalled_cursor' });
    expect(server.seen).toHaveLength(2);
  });
});
