import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type AnyRoute, routes } from '@tidemark/api';
import { SCOPES, scopeIncludes } from '@tidemark/contracts';
import { type Api, errorOf } from '../harness/api.ts';
import { sharedFleet } from '../harness/fleet.ts';
import { NO_WORKSPACE, pathOf } from '../harness/paths.ts';
import { makeProject } from '../harness/projects.ts';
import { REVOKED, until } from '../harness/until.ts';
import type { Workspace } from '../harness/workspaces.ts';
import { startWeb } from '../web/server.ts';

interface Child {
  readonly id: string;
  readonly cap: number;
  readonly suspended: boolean;
  readonly suspendedAt: string | null;
  readonly spend: { readonly month: number; readonly left: number | null };
}

const fleet = sharedFleet();
const web = await startWeb();
let parent: Workspace;
beforeAll(async () => {
  parent = await fleet.workspaces.make();
});
afterAll(async () => {
  await web.close();
  await fleet.close();
});

async function makeChild(body: object = {}, api: Api = parent.admin): Promise<Child> {
  const { status, body: child, text } = await api.post('/orgs/children', { name: 'Harbour Ltd', ...body });
  if (status !== 201) throw new Error(text);
  return child as Child;
}
async function keyOf(child: Child, body: object = {}): Promise<Api & { keyId: string }> {
  const made = await parent.admin.post(`/orgs/children/${child.id}/keys`, {
    name: 'childKey',
    scopes: ['admin'],
    ...body,
  });
  const { id: keyId, secret } = made.body as { id: string; secret: string };
  return { ...fleet.api(secret), keyId };
}
const inside = ({ id }: { readonly id: string }) => ({ 'x-service-tenant': id });
const read = async (child: Child) => (await parent.reader.get(`/orgs/children/${child.id}`)).body as Child;

describe('a sub-account', () => {
  test('spends the credits of its parent up to its cap, and its month shows them by kind and key', async () => {
    const payer = await fleet.workspaces.make();
    const child = await makeChild({ cap: 3 }, payer.admin);
    const made = await payer.admin.post(`/orgs/children/${child.id}/keys`, { name: 'childKey', scopes: ['write'] });
    const { id: keyId, secret } = made.body as { id: string; secret: string };
    const childKey = fleet.api(secret);
    for (const [at, path] of ['/tiny', '/article'].entries()) {
      await childKey.capture(web.url(path));
      // A page reserves what its most expensive step costs until it is charged; the cap has no room for two.
      await until('the charge of the page', async () => {
        const { reserved, usedThisMonth } = await childKey.credits();
        return reserved === 0 && usedThisMonth === at + 1;
      });
    }
    const show = async () => (await payer.reader.get(`/orgs/children/${child.id}`)).body;
    await until('both charges', async () => ((await show()) as Child).spend.month === 2);
    expect(await show()).toMatchObject({
      id: child.id,
      cap: 3,
      spend: { month: 2, left: 1 },
      byKind: [{ kind: 'page', pages: 2, credits: 2 }],
      charges: [
        { kind: 'page', credits: 1, keyId, memberId: null },
        { kind: 'page', credits: 1, keyId },
      ],
    });
    expect(await payer.reader.credits()).toEqual({ remaining: 998, reserved: 0, usedThisMonth: 2 });
    expect(await childKey.credits()).toEqual({ remaining: 1, reserved: 0, usedThisMonth: 2 });
    expect((await childKey.get('/me')).body).toMatchObject({ limits: { subAccounts: 0 } });
    await childKey.capture(web.url('/tiny'));
    const refused = await childKey.post('/scrape', { url: web.url('/tiny') });
    expect(errorOf(refused)).toMatchObject({ status: 402, code: 'credits_exhausted' });
    const list = (await payer.reader.get('/orgs/children')).body;
    expect(list).toMatchObject({ limit: 100, used: 1, data: [{ id: child.id, spend: { month: 3, left: 0 } }] });
    const raised = await payer.admin.patch(`/orgs/children/${child.id}`, { cap: 0 });
    expect(raised.body).toMatchObject({ cap: 0, spend: { month: 3, left: null } });
    await until(
      'work under the new cap',
      async () => (await childKey.post('/scrape', { url: web.url('/tiny') })).status === 200,
    );
  });

  test('is created once for repeated and concurrent requests with one Idempotency-Key, which get the first response', async () => {
    const headers = { 'idempotency-key': crypto.randomUUID() };
    const send = (body: object) => parent.admin.post('/orgs/children', body, headers);
    const responses = await Promise.all(Array.from({ length: 6 }, () => send({ name: 'Once', cap: 9 })));
    const [first] = responses.map(({ body }) => body as Child);
    expect(responses.map(({ status, body }) => [status, (body as Child).id])).toEqual(
      responses.map(() => [201, first?.id]),
    );
    await parent.admin.patch(`/orgs/children/${first?.id}`, { name: 'Renamed', cap: 1, suspended: true });
    expect((await send({ name: 'Once', cap: 9 })).body).toMatchObject({ ...first, request_id: expect.anything() });
    expect(errorOf(await send({ name: 'Twice' }))).toMatchObject({ status: 409, code: 'conflict' });
    const other = await fleet.workspaces.make();
    const childKey = await other.admin.post('/orgs/children', { name: 'Once', cap: 9 }, headers);
    expect((childKey.body as Child).id).not.toBe(first?.id);
  });

  test('is refused beyond the number that the plan allows, however many requests race', async () => {
    const free = await fleet.workspaces.make('free');
    const none = await free.admin.post('/orgs/children', { name: 'x' });
    expect(errorOf(none)).toMatchObject({
      status: 402,
      code: 'plan_limit',
      error: expect.stringContaining('allows 0'),
    });
    const starter = await fleet.workspaces.make('starter');
    const responses = await Promise.all(
      Array.from({ length: 8 }, (_, i) => starter.admin.post('/orgs/children', { name: `x${i}` })),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 201, 201, 402, 402, 402, 402, 402]);
    expect((await starter.reader.get('/orgs/children')).body).toMatchObject({ limit: 3, used: 3 });
  });

  test('can not have sub-accounts, and sees none of its parent', async () => {
    const child = await makeChild();
    const childKey = await keyOf(child);
    expect((await childKey.get('/orgs/children')).body).toMatchObject({ data: [], limit: 0, used: 0 });
    // Its plan is that of the parent, whose number of sub-accounts is not its own.
    expect((await childKey.get('/me')).body).toMatchObject({ limits: { subAccounts: 0 } });
    const { body: ofParent } = await parent.reader.get('/me');
    expect((ofParent as { limits: { subAccounts: number } }).limits.subAccounts).toBeGreaterThan(0);
    expect(errorOf(await childKey.post('/orgs/children', { name: 'x' }))).toMatchObject({
      status: 403,
      code: 'forbidden',
    });
    for (const id of [child.id, parent.id])
      expect(errorOf(await childKey.get(`/orgs/children/${id}`))).toMatchObject({ status: 404 });
  });
});

describe('a key of a sub-account', () => {
  test('reaches its workspace alone: not the parent, not a sibling, and the parent’s key does not work there without the header', async () => {
    const [child, sibling] = [await makeChild(), await makeChild()];
    const childKey = await keyOf(child);
    expect((await childKey.get('/me')).body).toMatchObject({ id: child.id });
    for (const id of [parent.id, sibling.id, NO_WORKSPACE])
      expect(errorOf(await childKey.get('/me', inside({ id })))).toMatchObject({ status: 404, code: 'not_found' });
    const { id: project } = await makeProject(childKey, { seed: web.url('/tiny') });
    expect((await parent.reader.get(`/projects/${project}`)).status).toBe(404);
    expect((await parent.reader.get(`/projects/${project}`, inside(child))).status).toBe(200);
    expect((await parent.reader.get(`/projects/${project}`, inside(sibling))).status).toBe(404);
  });

  test('is listed and revoked by the parent, and by the parent of no other workspace', async () => {
    const [child, sibling] = [await makeChild(), await makeChild()];
    const childKey = await keyOf(child);
    const path = `/orgs/children/${child.id}/keys/${childKey.keyId}`;
    const listed = await parent.admin.get(`/orgs/children/${child.id}/keys`);
    expect((listed.body as { data: { id: string }[] }).data.map(({ id }) => id)).toEqual([childKey.keyId]);
    expect((await parent.admin.get('/me/keys')).text).not.toContain(childKey.keyId);
    const stranger = await fleet.workspaces.make();
    expect((await stranger.admin.delete(path)).status).toBe(404);
    expect((await parent.admin.delete(path.replace(child.id, sibling.id))).status).toBe(404);
    expect((await parent.admin.delete(path)).status).toBe(204);
    expect(errorOf(await childKey.get('/me'))).toMatchObject({ status: 401 });
  });

  test('does not exceed the key of the parent that makes it', async () => {
    const child = await makeChild();
    const limited = await fleet.workspaces.key(parent.id, { scopes: ['admin'], rpm: 50 });
    const make = (body: object) => limited.post(`/orgs/children/${child.id}/keys`, { name: 'x', ...body });
    expect(errorOf(await make({ rpm: 51 }))).toMatchObject({ status: 403, code: 'forbidden', fields: ['rpm'] });
    expect((await make({ rpm: 50 })).status).toBe(201);
    const { id: ownProject } = await makeProject(parent.writer, { seed: web.url('/tiny') });
    expect(errorOf(await make({ rpm: 50, projects: [ownProject] }))).toMatchObject({
      status: 422,
      fields: ['projects.0'],
    });
  });
});

describe('the header x-service-tenant with a sub-account', () => {
  const keyed = Object.values(routes).filter((route: AnyRoute) => route.scope !== 'public');
  const matrix = keyed.flatMap((route: AnyRoute) =>
    SCOPES.map((scope) => ({ route, scope, name: `${route.method} ${route.path}` })),
  );
  let child: Child;
  beforeAll(async () => {
    child = await makeChild();
  });

  test.each(matrix)(
    'lets a key of the parent with scope $scope reach $name as far as its scope',
    async ({ route, scope }) => {
      const api = { read: parent.reader, write: parent.writer, admin: parent.admin }[scope];
      const { status, text } = await api.request(route.method.toUpperCase(), pathOf(route, 'nothing'), {
        headers: inside(child),
        ...(['post', 'patch'].includes(route.method) ? { body: { nothing: true } } : {}),
      });
      // Routes of people concern no workspace.
      if (route.session?.only === true) expect(status).toBe(404);
      else {
        const allowed = route.scope !== 'public' && scopeIncludes(scope, route.scope);
        expect({ refused: status === 403, text }).toEqual({ refused: !allowed, text });
      }
    },
  );

  test('gives no access to a key that is restricted to projects, to a stranger, and to a key of the sub-account', async () => {
    const { id: project } = await makeProject(parent.writer, { seed: web.url('/tiny') });
    const restricted = await fleet.workspaces.key(parent.id, { scopes: ['admin'], projects: [project] });
    const stranger = await fleet.workspaces.make();
    const sibling = await keyOf(await makeChild());
    for (const api of [restricted, stranger.admin, sibling])
      expect(errorOf(await api.get('/me', inside(child)))).toMatchObject({ status: 404, code: 'not_found' });
    expect(errorOf(await restricted.get('/orgs/children'))).toMatchObject({ status: 403, code: 'forbidden' });
  });

  test('acts in the sub-account with the rate limit of the key, and the parent sees which keys and people did', async () => {
    const mine = await makeChild();
    const key = await fleet.workspaces.key(parent.id, { scopes: ['write'], rpm: 77 });
    const person = await fleet.people.join(parent, 'member');
    const captured = await key.post('/scrape', { url: web.url('/tiny') }, inside(mine));
    expect(captured.headers.get('x-ratelimit-limit')).toBe('77');
    const { id: job } = captured.body as { id: string };
    expect((await key.get(`/scrape/${job}`)).status).toBe(404);
    expect((await key.get(`/scrape/${job}`, inside(mine))).status).toBe(200);
    expect((await person.get('/me', inside(mine))).body).toMatchObject({ id: mine.id, member: { role: 'member' } });
    await until('the calls to be recorded', async () => {
      const { actors } = (await read(mine)) as unknown as { actors: { keyId: string | null; calls: number }[] };
      return actors.find(({ keyId }) => keyId === key.keyId)?.calls === 2;
    });
    expect(await read(mine)).toMatchObject({
      actors: expect.arrayContaining([
        expect.objectContaining({ keyId: key.keyId, memberId: null, name: 'a test' }),
        expect.objectContaining({ keyId: null, memberId: person.id, name: 'Bob' }),
      ]),
      charges: [{ ref: expect.anything(), keyId: key.keyId }],
    });
  });
});

describe('a suspension', () => {
  const statusOf = async (id: string): Promise<string> =>
    (await fleet.sql<{ status: string }>('SELECT status FROM crawl.runs WHERE id = $1', [id]))[0]?.status ?? '';
  const suspend = (child: Child, suspended = true) => parent.admin.patch(`/orgs/children/${child.id}`, { suspended });

  test('refuses the keys of the sub-account within five seconds, and lifting it accepts them again', async () => {
    const child = await makeChild();
    const childKey = await keyOf(child);
    expect((await childKey.get('/me')).status).toBe(200);
    const { body } = await suspend(child);
    expect(body).toMatchObject({ suspended: true, suspendedAt: expect.stringMatching(/Z$/) });
    await until('the refusal', async () => (await childKey.get('/me')).status === 403, REVOKED);
    expect(errorOf(await childKey.get('/me'))).toMatchObject({
      code: 'forbidden',
      error: expect.stringContaining('suspended'),
    });
    expect(errorOf(await parent.admin.get('/me', inside(child)))).toMatchObject({ status: 403, code: 'forbidden' });
    // A repeated suspension keeps its time; the parent still reads the sub-account and its keys.
    expect((await suspend(child)).body).toMatchObject({ suspendedAt: (body as Child).suspendedAt });
    expect((await parent.admin.get(`/orgs/children/${child.id}/keys`)).status).toBe(200);
    expect((await suspend(child, false)).body).toMatchObject({ suspended: false, suspendedAt: null });
    await until('the keys to be accepted', async () => (await childKey.get('/me')).status === 200, REVOKED);
  });

  test('ends the open event streams of the sub-account', async () => {
    const child = await makeChild();
    const childKey = await keyOf(child);
    const { body } = await childKey.post('/crawl', { url: web.url('/gate/stream'), limit: 1, useSitemap: false });
    const { id } = body as { id: string };
    const stream = childKey.get(`/crawl/${id}/events`);
    await until('the crawl to run', async () => (await statusOf(id)) === 'running');
    await suspend(child);
    expect((await stream).text).toMatch(/cancelled|suspended/);
    web.open('stream');
  });

  test('cancels running work, releases its credits, and restarts nothing when it is lifted', async () => {
    const payer = await fleet.workspaces.make();
    const child = await makeChild({}, payer.admin);
    const acting = (path: string, body: object) => payer.admin.post(path, body, inside(child));
    await acting('/scrape', { url: web.url('/tiny') });
    const crawl = await acting('/crawl', { url: web.url('/gate/suspended'), limit: 3, useSitemap: false });
    const batch = await acting('/scrape', { urls: [web.url('/gate/suspended-too')] });
    const map = await acting('/map', { url: web.url('/gate/suspended-map'), sitemapMode: 'skip', timeout: 1 });
    const [crawlId, batchId, mapId] = [crawl, batch, map].map(({ body }) => (body as { id: string }).id);
    await until('the crawl to run', async () => (await statusOf(crawlId ?? '')) === 'running');
    const suspended = await payer.admin.patch(`/orgs/children/${child.id}`, { suspended: true });
    expect(suspended.status).toBe(200);
    await until('the crawl to be cancelled', async () => (await statusOf(crawlId ?? '')) === 'cancelled');
    const openJobs = async () =>
      (
        await fleet.sql(
          `SELECT id FROM scrape.jobs WHERE workspace_id = $1 AND status IN ('queued', 'running')
           UNION ALL SELECT id FROM map.jobs WHERE workspace_id = $1 AND status IN ('queued', 'running')`,
          [child.id],
        )
      ).length;
    await until('every job to be cancelled', async () => (await openJobs()) === 0);
    await until('the credits to be released', async () => (await payer.reader.credits()).reserved === 0);
    expect(await payer.reader.credits()).toMatchObject({ remaining: 999, usedThisMonth: 1 });
    await payer.admin.patch(`/orgs/children/${child.id}`, { suspended: false });
    for (const name of ['suspended', 'suspended-too', 'suspended-map']) web.open(name);
    for (const path of [`/crawl/${crawlId}`, `/scrape/${batchId}`, `/map/${mapId}`])
      expect((await payer.reader.get(path, inside(child))).body).toMatchObject({ status: 'cancelled' });
    expect((await acting('/scrape', { url: web.url('/tiny') })).status).toBe(200);
  });

  test('leaves no work behind that was started while it was made: each request is refused, done, or cancelled', async () => {
    const child = await makeChild();
    const childKey = await keyOf(child);
    const starting = Array.from({ length: 12 }, async (_, i) => {
      // The suspension falls between the first and the last of them.
      for (let n = 0; n < i; n += 1) await childKey.get('/me');
      const { status, body } = await childKey.post('/crawl', {
        url: web.url(`/gate/race-${i}`),
        limit: 2,
        useSitemap: false,
      });
      return { status, id: status === 202 ? (body as { id: string }).id : '' };
    });
    await suspend(child);
    const started = await Promise.all(starting);
    await until('the refusal', async () => (await childKey.get('/me')).status === 403, REVOKED);
    for (const { status } of started) expect([202, 403]).toContain(status);
    const ids = started.flatMap(({ id }) => (id === '' ? [] : [id]));
    await until('every crawl to be cancelled', async () =>
      (await Promise.all(ids.map(statusOf))).every((status) => status === 'cancelled'),
    );
    for (let i = 0; i < 12; i += 1) web.open(`race-${i}`);
    const leases = () => fleet.sql('SELECT 1 FROM billing.leases WHERE workspace_id = $1', [child.id]);
    await until('every lease to be released', async () => (await leases()).length === 0);
  });
});
