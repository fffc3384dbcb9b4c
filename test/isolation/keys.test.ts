import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type AnyRoute, routes } from '@tidemark/api';
import { OPERATOR, onOwnBehalf, SCOPES, scopeIncludes } from '@tidemark/contracts';
import { IdentityServiceService as Identity } from '@tidemark/contracts/identity/v1/identity';
import { type Api, errorOf, settledCredits } from '../harness/api.ts';
import { sharedFleet } from '../harness/fleet.ts';
import { pathOf } from '../harness/paths.ts';
import { REVOKED, until } from '../harness/until.ts';
import type { Workspace } from '../harness/workspaces.ts';
import { startWeb } from '../web/server.ts';

const fleet = sharedFleet();
const identity = fleet.dial('identity');
const web = await startWeb();
let workspace: Workspace;

beforeAll(async () => {
  workspace = await fleet.workspaces.make();
});
afterAll(async () => {
  await web.close();
  await identity.close();
  await fleet.close();
});

const keyed = Object.values(routes).filter((route: AnyRoute) => route.scope !== 'public');
const matrix = keyed.flatMap((route: AnyRoute) =>
  SCOPES.map((scope) => ({ route, scope, name: `${route.method} ${route.path}` })),
);

/** Sends a request without effect: the id does not exist, and the body is invalid. */
const idle = (api: Api, { method, path }: AnyRoute) =>
  api.request(method.toUpperCase(), pathOf({ path }, 'nothing'), {
    ...(['post', 'patch'].includes(method) ? { body: { nothing: true } } : {}),
  });

describe('scopes (read < write < admin)', () => {
  test.each(matrix)('$name with a key of scope $scope', async ({ route, scope }) => {
    const api = { read: workspace.reader, write: workspace.writer, admin: workspace.admin }[scope];
    const { status, text } = await idle(api, route);
    // Routes of people refuse every key.
    const isPersonal = route.session?.only === true;
    const allowed = route.scope !== 'public' && !isPersonal && scopeIncludes(scope, route.scope);
    expect({ refused: status === 403, text }).toEqual({ refused: !allowed, text });
    if (allowed) expect([200, 404, 422]).toContain(status);
  });

  test('include the scopes below them, and are shown by /me', async () => {
    const can = async (api: Api) => ((await api.get('/me')).body as { key: { can: string[] } }).key.can;
    expect([await can(workspace.reader), await can(workspace.writer), await can(workspace.admin)]).toEqual([
      ['read'],
      ['read', 'write'],
      ['read', 'write', 'admin'],
    ]);
  });

  test('do not allow keys below admin to create keys', async () => {
    const response = await workspace.writer.post('/me/keys', { name: 'stronger', scopes: ['admin'] });
    expect(errorOf(response)).toMatchObject({ status: 403, code: 'scopes' });
  });
});

describe('a key', () => {
  const made = async (order: object = {}) => {
    const { status, body } = await workspace.admin.post('/me/keys', { name: 'one', scopes: ['read'], ...order });
    expect(status).toBe(201);
    const { id, secret } = body as { id: string; secret: string };
    return { id, secret, api: fleet.api(secret) };
  };

  test('shows its secret only at creation, and works at once', async () => {
    const { id, secret, api } = await made();
    expect(secret).toMatch(/^service_[0-9A-Za-z]{38}$/);
    expect((await api.get('/me')).status).toBe(200);
    const list = await workspace.admin.get('/me/keys');
    expect(list.text).not.toContain(secret);
    expect(
      (list.body as { data: { id: string; lastFour: string }[] }).data.find((key) => key.id === id)?.lastFour,
    ).toBe(secret.slice(-4));
    const stored = await fleet.sql<{ text: string }>('SELECT k::text AS text FROM identity.api_keys k WHERE id = $1', [
      id,
    ]);
    expect(stored[0]?.text).not.toContain(secret.slice('service_'.length, -4));
  });

  test('is rejected at once by the gateway that revoked it', async () => {
    const { id, api } = await made();
    expect((await api.get('/me')).status).toBe(200);
    expect((await workspace.admin.delete(`/me/keys/${id}`)).status).toBe(204);
    expect(errorOf(await api.get('/me'))).toMatchObject({ status: 401, code: 'unauthorized' });
    expect((await workspace.admin.delete(`/me/keys/${id}`)).status).toBe(404);
    expect((await workspace.admin.get('/me/keys')).text).not.toContain(id);
  });

  test('is rejected within five seconds after another gateway revoked it', async () => {
    const { id, api } = await made();
    expect((await api.get('/me')).status).toBe(200);
    const caller = onOwnBehalf(OPERATOR, workspace.id);
    await identity.call(Identity.revokeKey, { id }, { requestId: 'elsewhere', caller });
    await until('the refusal', async () => (await api.get('/me')).status === 401, REVOKED);
  });

  test('that is revoked during its request lets this request end with its result and its charge, and no other', async () => {
    const { id, api } = await made({ scopes: ['write'] });
    const before = await settledCredits(workspace.reader);
    const running = api.post('/scrape', { url: web.url('/gate/revoked') });
    await until('the page to be requested', () => web.hits('/gate/revoked').length > 0);
    expect((await workspace.admin.delete(`/me/keys/${id}`)).status).toBe(204);
    expect(errorOf(await api.get('/me'))).toMatchObject({ status: 401, code: 'unauthorized' });
    web.open('revoked');
    const { status, body } = await running;
    expect({ status, body }).toMatchObject({ status: 200, body: { status: 'done', creditsUsed: 1 } });
    const spent = async () => before.remaining - (await workspace.reader.credits()).remaining;
    await until('the charge', async () => (await spent()) === 1);
  });

  test('is rejected after it has expired', async () => {
    const { id, api } = await made({ expires_in_days: 1 });
    await fleet.sql("UPDATE identity.api_keys SET expires_at = now() - interval '1 second' WHERE id = $1", [id]);
    expect(errorOf(await api.get('/me'))).toMatchObject({ status: 401, code: 'unauthorized' });
  });

  test('is rejected with the same message for every reason', async () => {
    const expired = await made({ expires_in_days: 1 });
    const revoked = await made();
    await fleet.sql("UPDATE identity.api_keys SET expires_at = now() - interval '1 second' WHERE id = $1", [
      expired.id,
    ]);
    await workspace.admin.delete(`/me/keys/${revoked.id}`);
    const unknown = fleet.api(`service_${'0'.repeat(38)}`);
    const said = await Promise.all(
      [expired.api, revoked.api, unknown].map(async (api) => errorOf(await api.get('/me')).error),
    );
    expect(new Set(said).size).toBe(1);
  });

  test('is limited by its own rate, which does not limit other keys', async () => {
    const { api } = await made({ rpm: 3 });
    const statuses = [];
    for (let i = 0; i < 5; i += 1) statuses.push((await api.get('/me')).status);
    expect(statuses).toEqual([200, 200, 200, 429, 429]);
    expect((await workspace.reader.get('/me')).status).toBe(200);
  });

  test('is limited by the lowest of its rate, the plan’s and the workspace’s', async () => {
    const capped = await fleet.workspaces.make('free');
    const greedy = await fleet.workspaces.key(capped.id, { scopes: ['read'], rpm: 10_000 });
    expect((await greedy.get('/me')).headers.get('x-ratelimit-limit')).toBe('60');
    await capped.admin.patch('/me', { max_rpm: 7 });
    await until('the new rate limit', async () => (await greedy.get('/me')).headers.get('x-ratelimit-limit') === '7');
    await capped.admin.patch('/me', { max_rpm: null });
    expect((await greedy.get('/me')).headers.get('x-ratelimit-limit')).toBe('60');
  });

  test('creates no key with a higher scope, rate limit or later expiry than its own, and the error names the field', async () => {
    const { api } = await made({ scopes: ['admin'], rpm: 500, expires_in_days: 5 });
    const within = { name: 'lower', rpm: 500, expires_in_days: 4 };
    expect((await api.post('/me/keys', within)).status).toBe(201);
    for (const [field, value] of [
      ['rpm', 501],
      ['rpm', undefined],
      ['expires_in_days', 6],
      ['expires_in_days', undefined],
    ] as const)
      expect(errorOf(await api.post('/me/keys', { ...within, [field]: value }))).toMatchObject({
        status: 403,
        code: 'forbidden',
        fields: [field],
      });
  });

  test('ends its event streams within five seconds after it was revoked elsewhere, with an event that states the reason', async () => {
    const { job } = await workspace.writer.scrape({ url: web.url('/gate/stream-revoked'), timeout: 1 });
    const { id, api } = await made();
    const stream = api.get(`/scrape/${job.id}/events`);
    await until('the use of the key', async () => {
      const { body } = await workspace.admin.get('/me/keys?limit=1000');
      return (body as { data: { id: string; lastUsedAt: string | null }[] }).data.some(
        (key) => key.id === id && key.lastUsedAt !== null,
      );
    });
    const caller = onOwnBehalf(OPERATOR, workspace.id);
    await identity.call(Identity.revokeKey, { id }, { requestId: 'elsewhere', caller });
    const revokedAt = performance.now();
    expect((await stream).text).toMatch(/event: closed\ndata: \{"code":"unauthorized"/);
    // Five seconds, and three for a machine under load.
    expect(performance.now() - revokedAt).toBeLessThan(REVOKED.withinMs);
    web.open('stream-revoked');
  });

  test('is refused with 429 if all keys of its workspace together have sent as many requests as the plan allows', async () => {
    const free = await fleet.workspaces.make('free');
    const statuses = [];
    let last = await free.reader.get('/me');
    for (let i = 1; i < 62; i += 1) {
      last = (await [free.reader, free.writer, free.admin][i % 3]?.get('/me')) ?? last;
      statuses.push(last.status);
    }
    expect(statuses.indexOf(429)).toBe(59);
    expect(errorOf(last).error).toContain('the rate limit of this workspace is 60 requests per minute');
    expect(last.headers.get('x-ratelimit-limit')).toBe('60');
    expect(last.headers.get('x-ratelimit-remaining')).toBe('0');
  });

  test('reports when it was last used', async () => {
    const { id, api } = await made();
    await api.get('/me');
    await until('its last use', async () => {
      const { body } = await workspace.admin.get('/me/keys?limit=1000');
      return (
        (body as { data: { id: string; lastUsedAt: string | null }[] }).data.find((key) => key.id === id)
          ?.lastUsedAt !== null
      );
    });
  });
});
