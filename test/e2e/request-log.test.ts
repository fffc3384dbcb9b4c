import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { errorOf } from '../harness/api.ts';
import { sharedFleet } from '../harness/fleet.ts';
import { makeProject } from '../harness/projects.ts';
import { until } from '../harness/until.ts';
import type { Workspace } from '../harness/workspaces.ts';
import { startWeb } from '../web/server.ts';

interface Logged {
  readonly id: string;
  readonly keyId: string;
  readonly route: string | null;
  readonly path: string;
  readonly status: number;
  readonly code: string | null;
  readonly message: string | null;
  readonly creditsUsed: number | null;
  readonly durationMs: number;
  readonly request_id: string;
}

const fleet = sharedFleet();
const web = await startWeb();
let workspace: Workspace;
beforeAll(async () => {
  workspace = await fleet.workspaces.make();
});
afterAll(async () => {
  await web.close();
  await fleet.close();
});

async function read(query = '', api = workspace.reader): Promise<Logged[]> {
  const { status, body, text } = await api.get(`/me/requests${query}`);
  if (status !== 200) throw new Error(text);
  return (body as { data: Logged[] }).data;
}
const logged = (requestId: string, api = workspace.reader): Promise<Logged> =>
  until('the request to be logged', async () => (await read(`?request_id=${requestId}`, api))[0]);

describe('the request log', () => {
  test('has a capture with its route, status, credits, duration and request id within seconds', async () => {
    const { headers } = await workspace.writer.capture(web.url('/article'));
    const id = headers.get('x-request-id') ?? '';
    const entry = await logged(id);
    expect(entry).toMatchObject({
      route: 'POST /v1/scrape',
      path: '/v1/scrape',
      status: 200,
      code: null,
      message: null,
      creditsUsed: Number(headers.get('x-service-credits')),
      request_id: id,
      keyId: expect.stringMatching(/^key_/),
    });
    expect(entry.durationMs).toBeGreaterThan(0);
  });

  test('has no credits for a read of a job, which spends nothing', async () => {
    const { body } = await workspace.writer.capture(web.url('/article'));
    const { headers } = await workspace.writer.get(`/scrape/${(body as { id: string }).id}`);
    expect(headers.get('x-service-credits')).not.toBeNull();
    expect(await logged(headers.get('x-request-id') ?? '')).toMatchObject({ status: 200, creditsUsed: null });
  });

  test('has the code and message of a refused request, and never its body or query', async () => {
    const refused = await workspace.writer.post('/scrape?secret=query-canary', { url: 'ftp://body-canary.example/' });
    const { error, code, request_id } = errorOf(refused);
    expect(await logged(request_id)).toMatchObject({
      status: refused.status,
      code,
      message: error,
      path: '/v1/scrape',
    });
    const rows = await fleet.sql<{ text: string }>(
      "SELECT coalesce(string_agg(r::text, ''), '') AS text FROM identity.requests r WHERE workspace_id = $1",
      [workspace.id],
    );
    expect(rows[0]?.text).toContain(request_id);
    expect(rows[0]?.text).not.toMatch(/query-canary|body-canary/);
  });

  test('has requests without a route, without a scope and of the Firecrawl interface', async () => {
    const missing = errorOf(await workspace.reader.get('/nowhere'));
    const forbidden = errorOf(await workspace.reader.post('/scrape', { url: web.url('/article') }));
    const other = await fetch(`${fleet.url}/firecrawl/v2/scrape`, {
      method: 'POST',
      headers: { authorization: `Bearer ${workspace.writer.key}`, 'content-type': 'application/json' },
      body: '{}',
    });
    expect(await logged(missing.request_id)).toMatchObject({ route: null, path: '/v1/nowhere', status: 404 });
    expect(await logged(forbidden.request_id)).toMatchObject({ route: 'POST /v1/scrape', status: 403, code: 'scopes' });
    expect(await logged(other.headers.get('x-request-id') ?? '')).toMatchObject({
      route: 'POST /firecrawl/v2/scrape',
      status: other.status,
    });
  });

  test('is filtered by key, status, code, route and time', async () => {
    const api = await fleet.workspaces.key(workspace.id, { scopes: ['read'] });
    await api.get('/me');
    const { request_id } = errorOf(await api.get('/projects/prj_01j5xq2w8se6fa7t0a6q1n3k2m'));
    const { keyId, id } = await logged(request_id);
    const mine = `?key=${keyId}`;
    expect((await read(mine)).map(({ status }) => status).toSorted()).toEqual([200, 404]);
    for (const filter of ['status=404', 'status=4xx', 'status=failed', 'code=not_found', 'route=GET+/v1/projects/{id}'])
      expect((await read(`${mine}&${filter}`)).map((one) => one.id)).toEqual([id]);
    expect(await read(`${mine}&to=2020-01-01T00:00:00Z`)).toEqual([]);
    expect(await read(`${mine}&from=2100-01-01T00:00:00Z`)).toEqual([]);
    const first = await workspace.reader.get(`/me/requests${mine}&limit=1`);
    const { data, cursor } = first.body as { data: Logged[]; cursor: string };
    const rest = await read(`${mine}&limit=1&cursor=${cursor}`);
    expect([...data, ...rest].map(({ status }) => status)).toEqual([404, 200]);
  });

  test('is not visible to another workspace', async () => {
    const { request_id } = errorOf(await workspace.reader.get('/nowhere'));
    await logged(request_id);
    const other = await fleet.workspaces.make();
    expect(await read(`?request_id=${request_id}`, other.admin)).toEqual([]);
  });

  test('groups failures by route, status and code', async () => {
    const own = await fleet.workspaces.make();
    const ids = [];
    for (let at = 0; at < 3; at += 1) ids.push(errorOf(await own.reader.get('/runs-of-nothing')).request_id);
    const { request_id } = errorOf(await own.writer.post('/scrape', {}));
    await logged(request_id, own.reader);
    const { body } = await own.reader.get('/me/requests/failures');
    expect((body as { data: unknown[] }).data).toMatchObject([
      { route: null, status: 404, code: 'not_found', count: 3, keys: 1, request_id: ids.at(-1) },
      { route: 'POST /v1/scrape', status: 422, code: 'validation', count: 1, request_id },
    ]);
  });

  test('shows a key that is restricted to projects its own requests', async () => {
    const { id } = await makeProject(workspace.writer, { seed: web.url('/'), config: { max_pages: 1 } });
    const api = await fleet.workspaces.key(workspace.id, { scopes: ['read'], projects: [id] });
    const { request_id } = errorOf(await api.get('/projects/prj_01j5xq2w8se6fa7t0a6q1n3k2m'));
    const { keyId } = await logged(request_id);
    expect(new Set((await read('', api)).map((one) => one.keyId))).toEqual(new Set([keyId]));
    const foreign = (await read('')).find((one) => one.keyId !== keyId)?.keyId;
    expect(await read(`?key=${foreign}`, api)).toEqual([]);
  });

  test('has neither requests of signed-in people nor reads of itself', async () => {
    const own = await fleet.workspaces.make();
    const person = await fleet.people.join(own, 'admin');
    await person.get('/me');
    await own.reader.get('/me/requests');
    const { headers } = await own.reader.get('/me');
    const { id } = await logged(headers.get('x-request-id') ?? '', own.reader);
    const all = await read('', own.reader);
    expect(all.filter(({ path }) => path === '/v1/me').map((one) => one.id)).toEqual([id]);
    expect(all.filter(({ path }) => path.startsWith('/v1/me/requests'))).toEqual([]);
    expect(await read('', person)).toEqual(all);
  });
});
