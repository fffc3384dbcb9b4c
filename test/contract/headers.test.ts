import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type AnyRoute, routes } from '@tidemark/api';
import { errorOf } from '../harness/api.ts';
import { sharedFleet } from '../harness/fleet.ts';
import { pathOf } from '../harness/paths.ts';
import type { Workspace } from '../harness/workspaces.ts';
import { startWeb } from '../web/server.ts';

const fleet = sharedFleet();
const web = await startWeb();
const keyed = Object.values(routes).filter((route: AnyRoute) => route.scope !== 'public');
let workspace: Workspace;

beforeAll(async () => {
  workspace = await fleet.workspaces.make();
});
afterAll(async () => {
  await web.close();
  await fleet.close();
});

const asked = ({ method, path }: { method: string; path: string }, headers: Record<string, string> = {}) =>
  workspace.admin.request(method.toUpperCase(), pathOf({ path }, 'x'), {
    headers,
    ...(method === 'post' || method === 'patch' ? { body: {} } : {}),
  });

describe('X-Request-Id', () => {
  test('is the caller’s own, in the header and in the body, of successes and of failures', async () => {
    const headers = { 'x-request-id': 'order-7/retry:2' };
    const job = await workspace.writer.scrape({ url: web.url('/tiny') }, headers);
    expect([job.headers.get('x-request-id'), job.job.request_id]).toEqual(['order-7/retry:2', 'order-7/retry:2']);
    const failed = await workspace.writer.get('/scrape/x', headers);
    expect([failed.headers.get('x-request-id'), errorOf(failed).request_id]).toEqual([
      'order-7/retry:2',
      'order-7/retry:2',
    ]);
  });

  test.each(['', 'x'.repeat(129), '<script>', 'two words', '{"a":1}'])(
    'is one of ours where the caller’s is %j',
    async (given) => {
      const answer = await workspace.reader.get('/me', { 'x-request-id': given });
      expect(answer.status).toBe(200);
      expect(answer.headers.get('x-request-id')).toMatch(/^req_[0-9a-z]{26}$/);
    },
  );

  test('is told for unknown paths, refused keys and bodies that are no JSON, too', async () => {
    const answers = [
      await fleet.api('').get('/nowhere'),
      await fleet.api('').get('/me'),
      await workspace.writer.post('/scrape', '{'),
    ];
    for (const answer of answers) expect(answer.headers.get('x-request-id')).toBe(errorOf(answer).request_id);
  });
});

describe('the rate window', () => {
  test.each(keyed)('is told with every answer of $method $path', async (route) => {
    const { headers } = await asked(route);
    expect(Number(headers.get('x-ratelimit-limit'))).toBe(3_000);
    expect(Number(headers.get('x-ratelimit-remaining'))).toBeLessThan(3_000);
    expect(Number(headers.get('x-ratelimit-reset'))).toBeGreaterThan(0);
    expect(Number(headers.get('x-ratelimit-reset'))).toBeLessThanOrEqual(60);
  });

  test('counts down by one a request, and is each key’s own', async () => {
    const one = await fleet.workspaces.key(workspace.id, { scopes: ['read'], rpm: 5 });
    const other = await fleet.workspaces.key(workspace.id, { scopes: ['read'], rpm: 5 });
    const left = async (api: typeof one) => (await api.get('/me')).headers.get('x-ratelimit-remaining');
    expect([await left(one), await left(one), await left(one), await left(other)]).toEqual(['4', '3', '2', '4']);
  });

  test('is told with 403 and 429 as well', async () => {
    const key = await fleet.workspaces.key(workspace.id, { scopes: ['read'], rpm: 1 });
    const refused = await key.post('/me/keys', {});
    expect([refused.status, refused.headers.get('x-ratelimit-remaining')]).toEqual([403, '0']);
    const over = await key.get('/me');
    expect([over.status, over.headers.get('x-ratelimit-remaining')]).toEqual([429, '0']);
    expect(over.headers.get('retry-after')).toBe(over.headers.get('x-ratelimit-reset'));
  });
});

describe('X-Service-Credits', () => {
  test('states what a scrape cost, as the envelope does, when it is made and whenever it is read', async () => {
    const paid = await workspace.writer.scrape({ url: web.url('/article') });
    const free = await workspace.writer.scrape({ url: web.url('/status/500') });
    expect([paid.headers.get('x-service-credits'), paid.job.creditsUsed]).toEqual(['1', 1]);
    expect([free.headers.get('x-service-credits'), free.job.creditsUsed]).toEqual(['0', 0]);
    const again = await workspace.reader.get(`/scrape/${paid.job.id}`);
    expect(again.headers.get('x-service-credits')).toBe('1');
  });
});

describe('CORS', () => {
  test.each(keyed)('lets a page of any origin ask $method $path', async ({ method, path }) => {
    const preflight = await fleet.api('').request('OPTIONS', pathOf({ path }, 'x'), {
      headers: {
        origin: 'https://app.example',
        'access-control-request-method': method.toUpperCase(),
        'access-control-request-headers': 'authorization,content-type,idempotency-key',
      },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-origin')).toBe('*');
    expect(preflight.headers.get('access-control-allow-methods')?.split(', ')).toContain(method.toUpperCase());
    const allowed = preflight.headers.get('access-control-allow-headers')?.toLowerCase().split(', ');
    expect(allowed).toEqual(expect.arrayContaining(['authorization', 'content-type', 'idempotency-key']));
    expect(preflight.headers.get('access-control-allow-credentials')).toBeNull();
  });

  test('shows such a page the headers it needs, on failures too', async () => {
    const { headers } = await fleet.api('').get('/me', { origin: 'https://app.example' });
    expect(headers.get('access-control-allow-origin')).toBe('*');
    const exposed = headers.get('access-control-expose-headers')?.toLowerCase().split(', ');
    expect(exposed).toEqual(
      expect.arrayContaining(['x-request-id', 'x-service-credits', 'x-ratelimit-remaining', 'retry-after']),
    );
  });
});
